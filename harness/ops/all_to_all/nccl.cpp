#include "backends/nccl/collective.h"
#include "backends/nccl/communicators.h"

namespace plumbline {
namespace {

Tensors outputs(const Problem& p, const Tensors&) {
  return nccl::on_each_rank(p, p.integer("elements"));
}

void enqueue(const Problem& p, const nccl::RankCall& r) {
  nccl::check(ncclAlltoAll(r.input, r.output, std::size_t(p.integer("elements") / r.ranks), r.type,
                           r.comm, r.stream),
              "ncclAlltoAll");
}

}  // namespace

Implementation all_to_all_nccl() {
  return nccl::implementation({"ncclAlltoAll", outputs, enqueue});
}

}  // namespace plumbline
