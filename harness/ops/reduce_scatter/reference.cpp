#include "ops/combined_ranks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return vectors_of_ranks(p, p.integer("elements"));
}

Results reference(const Problem& p, const Tensors& inputs) {
  const std::int64_t part = p.integer("elements") / std::int64_t(inputs.size());
  Tensors results;
  for (std::int64_t first = 0; first < p.integer("elements"); first += part)
    for (at::Tensor& piece : in_pieces(part, [&](std::int64_t begin, std::int64_t end) {
           return combined_ranks(p, inputs, first + begin, first + end);
         }))
      results.push_back(std::move(piece));
  return results;
}

/// The next launch adds what the previous one left.
bool mutates(const Problem& p) { return p.flag("in_place"); }

}  // namespace

Definition reduce_scatter_definition() {
  return {
      .inputs = inputs, .reference = reference, .comparable = pieces_on_rank_0, .mutates = mutates};
}

}  // namespace plumbline
