#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

#include "backends/reference_blocks.h"
#include "ops/rank_inputs.h"

namespace plumbline {
namespace {

/// Every rank's vector, then every rank's first matrix, then every rank's second one.
std::vector<InputSpec> inputs(const Problem& p) {
  const auto n = p.integer("n");
  std::vector<InputSpec> specs = tensors_of_ranks(p, "x", {p.integer("elements")});
  for (const char* const name : {"a", "b"})
    for (InputSpec& spec : tensors_of_ranks(p, name, {n, n})) specs.push_back(std::move(spec));
  return specs;
}

Results reference(const Problem& p, const Tensors& inputs) {
  const std::size_t ranks = inputs.size() / 3;
  const Tensors here = exact_on_first(inputs);
  const at::Tensor total = sum_of_ranks(here, ranks);
  Tensors results(ranks, total);
  const auto product = [](const Tensors& block) { return at::matmul(block[0], block[1]); };
  for (std::size_t rank = 0; rank < ranks; ++rank)
    results.push_back(
        in_row_blocks(p.integer("n") * 8, {here[ranks + rank]}, {here[2 * ranks + rank]}, product));
  return results;
}

}  // namespace

Definition overlapped_all_reduce_definition() {
  return {.inputs = inputs, .reference = reference, .comparable = on_rank_0};
}

}  // namespace plumbline
