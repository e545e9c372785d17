/// The result that collectives with a reduction share.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include <string>

#include "ops/rank_inputs.h"

namespace plumbline {

/// The elements `begin` … `end` - 1 of the vectors of all ranks, combined in float64 on the device
/// of rank 0. Only these are copied there.
inline at::Tensor combined_ranks(const Problem& p, const Tensors& of_ranks, std::int64_t begin,
                                 std::int64_t end) {
  Tensors parts;
  for (const at::Tensor& vector : of_ranks) parts.push_back(vector.slice(0, begin, end));
  const at::Tensor all = at::stack(exact_on_first(parts));
  const std::string& reduction = p.text("reduction");
  if (reduction == "max") return all.amax(0);
  if (reduction == "min") return all.amin(0);
  const at::Tensor total = all.sum(0);
  return reduction == "sum" ? total : total / double(of_ranks.size());
}

}  // namespace plumbline
