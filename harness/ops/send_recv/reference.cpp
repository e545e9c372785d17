#include <algorithm>

#include "ops/rank_inputs.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return vectors_of_ranks(p, p.integer("elements"));
}

Results reference(const Problem&, const Tensors& inputs) {
  Tensors received = inputs;
  std::rotate(received.rbegin(), received.rbegin() + 1, received.rend());
  Tensors results;
  for (const at::Tensor& vector : received)
    for (at::Tensor& piece : joined_in_pieces({vector}, inputs.front().device()))
      results.push_back(std::move(piece));
  return results;
}

}  // namespace

Definition send_recv_definition() {
  return {.inputs = inputs, .reference = reference, .comparable = pieces_on_rank_0};
}

}  // namespace plumbline
