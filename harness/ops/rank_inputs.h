/// Inputs of ops of several ranks: vectors that lie on the ranks' devices.
#pragma once

#include <ATen/TensorOperators.h>

#include "backends/implementation.h"
#include "core/op/ranks.h"

namespace plumbline {

/// One tensor of that shape for each rank: name0, name1, …
inline std::vector<InputSpec> tensors_of_ranks(const Problem& p, const std::string& name,
                                               const std::vector<std::int64_t>& shape) {
  std::vector<InputSpec> specs;
  for (int rank = 0; rank < ranks_of(p.subject().params); ++rank)
    specs.push_back(
        {.name = name + std::to_string(rank), .shape = shape, .dtype = p.dtype(), .rank = rank});
  return specs;
}

inline std::vector<InputSpec> vectors_of_ranks(const Problem& p, std::int64_t elements) {
  return tensors_of_ranks(p, "x", {elements});
}

/// Copies on the device of the first.
inline Tensors on_first(const Tensors& tensors) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(tensor.to(tensors.front().device()));
  return copies;
}

/// Of the first `ranks` tensors, which are on one device.
inline at::Tensor sum_of_ranks(const Tensors& tensors, std::size_t ranks) {
  at::Tensor total = tensors[0];
  for (std::size_t rank = 1; rank < ranks; ++rank) total = total + tensors[rank];
  return total;
}

/// What is compared with a reference of rank 0: all results, there.
inline Tensors on_rank_0(const Problem&, const Tensors& inputs, const Tensors& results) {
  Tensors copies;
  for (const at::Tensor& result : results) copies.push_back(result.to(inputs.front().device()));
  return copies;
}

}  // namespace plumbline
