#include <ATen/ops/rms_norm.h>

#include "backends/nccl/collective.h"
#include "backends/nccl/communicators.h"
#include "ops/collective_step.h"

namespace plumbline {
namespace {

/// Every rank's sum. The normalised matrices are new tensors of each launch.
Tensors outputs(const Problem&, const Tensors& inputs) {
  const std::size_t ranks = inputs.size() / 3;
  Tensors made;
  for (int part = 0; part < 2; ++part)
    for (std::size_t rank = 0; rank < ranks; ++rank) made.push_back(at::empty_like(inputs[rank]));
  return made;
}

void enqueue(const Problem& p, const nccl::RankCall& r) {
  sum_over_ranks(r, p.integer("rows") * p.integer("cols"));
}

/// The results of the launch before: this one's take their place.
void release(const Problem&, int rank, const Tensors& inputs, Tensors& outputs) {
  outputs[inputs.size() / 3 + std::size_t(rank)].reset();
}

void normalise(const Problem& p, int rank, const Tensors& inputs, Tensors& outputs) {
  const std::size_t ranks = inputs.size() / 3, i = std::size_t(rank);
  at::Tensor& sum = outputs[i];
  sum.add_(inputs[ranks + i]);
  outputs[ranks + i] = at::rms_norm(sum, p.integer("cols"), inputs[2 * ranks + i], p.number("eps"));
}

}  // namespace

Implementation all_reduce_rms_norm_nccl() {
  return nccl::implementation({.name = "ncclAllReduce",
                               .outputs = outputs,
                               .enqueue = enqueue,
                               .before = release,
                               .after = normalise});
}

}  // namespace plumbline
