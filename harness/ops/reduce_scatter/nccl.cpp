#include "backends/nccl/collective.h"
#include "backends/nccl/communicators.h"
#include "ops/nccl_reduction.h"

namespace plumbline {
namespace {

std::int64_t part(const Problem& p) { return p.integer("elements") / p.integer("ranks"); }

Tensors outputs(const Problem& p, const Tensors& inputs) {
  if (!p.flag("in_place")) return nccl::on_each_rank(p, part(p));
  Tensors parts;
  for (std::size_t rank = 0; rank < inputs.size(); ++rank)
    parts.push_back(inputs[rank].narrow(0, std::int64_t(rank) * part(p), part(p)));
  return parts;
}

void enqueue(const Problem& p, const nccl::RankCall& r) {
  nccl::check(ncclReduceScatter(r.input, r.output, std::size_t(part(p)), r.type, nccl_reduction(p),
                                r.comm, r.stream),
              "ncclReduceScatter");
}

}  // namespace

Implementation reduce_scatter_nccl() {
  return nccl::implementation({"ncclReduceScatter", outputs, enqueue});
}

}  // namespace plumbline
