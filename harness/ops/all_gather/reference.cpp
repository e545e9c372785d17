#include "ops/rank_inputs.h"

namespace plumbline {
namespace {

/// In place, a rank's part lies where it belongs in the whole vector.
std::vector<InputSpec> inputs(const Problem& p) {
  const std::int64_t elements = p.integer("elements");
  return vectors_of_ranks(p, p.flag("in_place") ? elements : elements / p.integer("ranks"));
}

Results reference(const Problem& p, const Tensors& inputs) {
  Tensors parts = inputs;
  if (p.flag("in_place"))
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      parts[rank] = parts[rank].chunk(std::int64_t(parts.size()))[rank];
  return for_each_rank(inputs.size(), joined_in_pieces(parts, inputs.front().device()));
}

bool mutates(const Problem& p) { return p.flag("in_place"); }

}  // namespace

Definition all_gather_definition() {
  return {
      .inputs = inputs, .reference = reference, .comparable = pieces_on_rank_0, .mutates = mutates};
}

}  // namespace plumbline
