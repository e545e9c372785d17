#include "ops/rank_inputs.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return vectors_of_ranks(p, p.integer("elements"));
}

Results reference(const Problem&, const Tensors& inputs) {
  const auto ranks = inputs.size();
  std::vector<Tensors> received(ranks);
  for (const at::Tensor& sent : inputs) {
    const Tensors parts = sent.chunk(std::int64_t(ranks));
    for (std::size_t rank = 0; rank < ranks; ++rank) received[rank].push_back(parts[rank]);
  }
  Tensors results;
  for (const Tensors& parts : received)
    for (at::Tensor& piece : joined_in_pieces(parts, inputs.front().device()))
      results.push_back(std::move(piece));
  return results;
}

}  // namespace

Definition all_to_all_definition() {
  return {.inputs = inputs, .reference = reference, .comparable = pieces_on_rank_0};
}

}  // namespace plumbline
