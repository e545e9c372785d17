/// The result that collectives with a reduction share.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include <string>

#include "ops/rank_inputs.h"

namespace plumbline {

/// The vectors of all ranks, element by element, on the device of rank 0.
inline at::Tensor combined_ranks(const Problem& p, const Tensors& of_ranks) {
  const at::Tensor all = at::stack(on_first(of_ranks));
  const std::string& reduction = p.text("reduction");
  if (reduction == "max") return all.amax(0);
  if (reduction == "min") return all.amin(0);
  const at::Tensor total = all.sum(0);
  return reduction == "sum" ? total : total / double(of_ranks.size());
}

}  // namespace plumbline
