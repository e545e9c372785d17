#include "backends/nccl/collective.h"
#include "backends/nccl/communicators.h"

namespace plumbline {
namespace {

Tensors outputs(const Problem& p, const Tensors&) {
  return nccl::on_each_rank(p, p.integer("elements"));
}

void enqueue(const Problem& p, const nccl::RankCall& r) {
  constexpr int kRoot = 0;
  nccl::check(ncclBroadcast(r.input, r.output, std::size_t(p.integer("elements")), r.type, kRoot,
                            r.comm, r.stream),
              "ncclBroadcast");
}

}  // namespace

Implementation broadcast_nccl() {
  return nccl::implementation({"ncclBroadcast", outputs, enqueue});
}

}  // namespace plumbline
