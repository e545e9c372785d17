#include "ops/combined_ranks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return vectors_of_ranks(p, p.integer("elements"));
}

Results reference(const Problem& p, const Tensors& inputs) {
  const Tensors pieces = in_pieces(
      p.integer("elements"),
      [&](std::int64_t begin, std::int64_t end) { return combined_ranks(p, inputs, begin, end); });
  return for_each_rank(inputs.size(), pieces);
}

/// The next launch adds what the previous one left.
bool mutates(const Problem& p) { return p.flag("in_place"); }

}  // namespace

Definition all_reduce_definition() {
  return {
      .inputs = inputs, .reference = reference, .comparable = pieces_on_rank_0, .mutates = mutates};
}

}  // namespace plumbline
