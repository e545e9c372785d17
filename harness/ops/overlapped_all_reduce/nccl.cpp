#include <ATen/cuda/CUDAEvent.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <c10/cuda/CUDAStream.h>

#include <map>
#include <memory>

#include "backends/nccl/collective.h"
#include "backends/nccl/communicators.h"
#include "ops/collective_step.h"

namespace plumbline {
namespace {

/// The stream of a GPU that computes beside the collective.
struct Beside {
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  at::cuda::CUDAEvent begin, end;
};

/// Of the current GPU; kept for the process.
Beside& beside() {
  static std::map<c10::DeviceIndex, std::unique_ptr<Beside>> known;
  std::unique_ptr<Beside>& found = known[c10::cuda::current_device()];
  if (!found) found = std::make_unique<Beside>();
  return *found;
}

Tensors outputs(const Problem& p, const Tensors& inputs) {
  const std::size_t ranks = inputs.size() / 3;
  Tensors made = nccl::on_each_rank(p, p.integer("elements"));
  for (std::size_t rank = 0; rank < ranks; ++rank)
    made.push_back(at::empty_like(inputs[ranks + rank]));
  return made;
}

void enqueue(const Problem& p, const nccl::RankCall& r) {
  sum_over_ranks(r, p.integer("elements"));
}

void fork(const Problem& p, int, const Tensors&, Tensors&) {
  if (p.flag("overlap")) beside().begin.record(c10::cuda::getCurrentCUDAStream());
}

/// Behind the collective in the order of launches: its kernel has its multiprocessors first.
void multiply(const Problem& p, int rank, const Tensors& inputs, Tensors& outputs) {
  const std::size_t ranks = inputs.size() / 3, i = std::size_t(rank);
  const auto product = [&] {
    at::mm_out(outputs[ranks + i], inputs[ranks + i], inputs[2 * ranks + i]);
  };
  if (!p.flag("overlap")) return product();
  Beside& side = beside();
  side.begin.block(side.stream);
  {
    const c10::cuda::CUDAStreamGuard there(side.stream);
    product();
  }
  side.end.record(side.stream);
  side.end.block(c10::cuda::getCurrentCUDAStream());
}

}  // namespace

Implementation overlapped_all_reduce_nccl() {
  return nccl::implementation({.name = "ncclAllReduce",
                               .outputs = outputs,
                               .enqueue = enqueue,
                               .before = fork,
                               .after = multiply});
}

}  // namespace plumbline
