#include "ops/rank_inputs.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("elements")}, .dtype = p.dtype()}};
}

Results reference(const Problem& p, const Tensors& inputs) {
  return Tensors(std::size_t(p.integer("ranks")), inputs[0]);
}

}  // namespace

Definition broadcast_definition() {
  return {.inputs = inputs, .reference = reference, .comparable = on_rank_0};
}

}  // namespace plumbline
