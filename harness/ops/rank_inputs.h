/// Inputs of ops of several ranks: vectors that lie on the ranks' devices.
#pragma once

#include "backends/implementation.h"
#include "core/op/ranks.h"

namespace plumbline {

/// One vector of that many elements for each rank.
inline std::vector<InputSpec> vectors_of_ranks(const Problem& p, std::int64_t elements) {
  std::vector<InputSpec> specs;
  for (int rank = 0; rank < ranks_of(p.subject().params); ++rank)
    specs.push_back({.name = "x" + std::to_string(rank),
                     .shape = {elements},
                     .dtype = p.dtype(),
                     .rank = rank});
  return specs;
}

/// Copies on the device of the first.
inline Tensors on_first(const Tensors& tensors) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(tensor.to(tensors.front().device()));
  return copies;
}

/// What is compared with a reference of rank 0: all results, there.
inline Tensors on_rank_0(const Problem&, const Tensors& inputs, const Tensors& results) {
  Tensors copies;
  for (const at::Tensor& result : results) copies.push_back(result.to(inputs.front().device()));
  return copies;
}

}  // namespace plumbline
