#include "backends/nccl/collective.h"
#include "backends/nccl/communicators.h"

namespace plumbline {
namespace {

Tensors outputs(const Problem& p, const Tensors& inputs) {
  return p.flag("in_place") ? inputs : nccl::on_each_rank(p, p.integer("elements"));
}

void enqueue(const Problem& p, const nccl::RankCall& r) {
  const auto part = std::size_t(p.integer("elements") / r.ranks);
  const std::size_t bytes = part * std::size_t(info(p.dtype()).bytes);
  const void* const own = p.flag("in_place")
                              ? static_cast<const char*>(r.input) + std::size_t(r.rank) * bytes
                              : r.input;
  nccl::check(ncclAllGather(own, r.output, part, r.type, r.comm, r.stream), "ncclAllGather");
}

}  // namespace

Implementation all_gather_nccl() {
  return nccl::implementation({"ncclAllGather", outputs, enqueue});
}

}  // namespace plumbline
