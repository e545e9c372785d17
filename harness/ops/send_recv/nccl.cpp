#include "backends/nccl/collective.h"
#include "backends/nccl/communicators.h"

namespace plumbline {
namespace {

Tensors outputs(const Problem& p, const Tensors&) {
  return nccl::on_each_rank(p, p.integer("elements"));
}

void enqueue(const Problem& p, const nccl::RankCall& r) {
  const auto elements = std::size_t(p.integer("elements"));
  const int next = (r.rank + 1) % r.ranks;
  const int previous = (r.rank + r.ranks - 1) % r.ranks;
  nccl::check(ncclSend(r.input, elements, r.type, next, r.comm, r.stream), "ncclSend");
  nccl::check(ncclRecv(r.output, elements, r.type, previous, r.comm, r.stream), "ncclRecv");
}

}  // namespace

Implementation send_recv_nccl() {
  return nccl::implementation({"ncclSend and ncclRecv", outputs, enqueue});
}

}  // namespace plumbline
