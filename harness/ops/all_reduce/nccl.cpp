#include "backends/nccl/collective.h"
#include "backends/nccl/communicators.h"
#include "ops/nccl_reduction.h"

namespace plumbline {
namespace {

Tensors outputs(const Problem& p, const Tensors& inputs) {
  return p.flag("in_place") ? inputs : nccl::on_each_rank(p, p.integer("elements"));
}

void enqueue(const Problem& p, const nccl::RankCall& r) {
  nccl::check(ncclAllReduce(r.input, r.output, std::size_t(p.integer("elements")), r.type,
                            nccl_reduction(p), r.comm, r.stream),
              "ncclAllReduce");
}

}  // namespace

Implementation all_reduce_nccl() {
  return nccl::implementation({"ncclAllReduce", outputs, enqueue});
}

}  // namespace plumbline
