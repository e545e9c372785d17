#include "ops/rank_inputs.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("elements")}, .dtype = p.dtype()}};
}

Results reference(const Problem& p, const Tensors& inputs) {
  return for_each_rank(std::size_t(p.integer("ranks")),
                       joined_in_pieces(inputs, inputs.front().device()));
}

}  // namespace

Definition broadcast_definition() {
  return {.inputs = inputs, .reference = reference, .comparable = pieces_on_rank_0};
}

}  // namespace plumbline
