/// Shared by ops that select elements of each row: they return values and their indices. Equal
/// values may come in any order.
///
/// Uses no sorting kernel: the standard library on the host gives the expected order.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>

#include "backends/implementation.h"

namespace plumbline {

/// The sorted rows of a matrix of float64 or integers.
inline at::Tensor sorted_rows(const at::Tensor& x, bool is_descending) {
  const at::Tensor sorted = x.detach().to(at::kCPU, at::kDouble).contiguous().clone();
  double* const begin = sorted.mutable_data_ptr<double>();
  const std::int64_t cols = x.size(1);
  for (double* row = begin; row != begin + x.numel(); row += cols)
    is_descending ? std::sort(row, row + cols, std::greater<>()) : std::sort(row, row + cols);
  return sorted.to(x.device(), x.scalar_type());
}

/// From the results {values, indices}: the values, the elements of x at the indices (127 for an
/// invalid index), and how many elements are named more than once.
inline Tensors selected(const at::Tensor& x, const Tensors& results) {
  const at::Tensor& indices = results[1];
  const at::Tensor is_valid = (indices >= 0) & (indices < x.size(1));
  const at::Tensor places = indices.clamp(0, x.size(1) - 1);
  const at::Tensor found = at::gather(x, 1, places);
  const at::Tensor times =
      at::zeros(x.sizes(), places.options()).scatter_add_(1, places, at::ones_like(places));
  return {results[0], at::where(is_valid, found, at::full_like(found, 127)),
          at::sum(times > 1).to(at::kDouble).reshape({1})};
}

/// The expected result of selected(), from the values.
inline Results selection(const at::Tensor& values) {
  return Tensors{values, values, at::zeros({1}, values.options().dtype(at::kDouble))};
}

}  // namespace plumbline
