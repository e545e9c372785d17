#include "ops/combined_ranks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return vectors_of_ranks(p, p.integer("elements"));
}

Results reference(const Problem& p, const Tensors& inputs) {
  return combined_ranks(p, inputs).chunk(std::int64_t(inputs.size()));
}

/// The next launch adds what the previous one left.
bool mutates(const Problem& p) { return p.flag("in_place"); }

}  // namespace

Definition reduce_scatter_definition() {
  return {.inputs = inputs, .reference = reference, .comparable = on_rank_0, .mutates = mutates};
}

}  // namespace plumbline
