#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>

#include "backends/reference_blocks.h"
#include "ops/rank_inputs.h"

namespace plumbline {
namespace {

/// Every rank's x, then every rank's residual, then every rank's weight.
std::vector<InputSpec> inputs(const Problem& p) {
  const auto rows = p.integer("rows"), cols = p.integer("cols");
  std::vector<InputSpec> specs = tensors_of_ranks(p, "x", {rows, cols});
  for (const char* const name : {"residual", "weight"})
    for (InputSpec& spec :
         tensors_of_ranks(p, name, name[0] == 'w' ? std::vector{cols} : std::vector{rows, cols}))
      specs.push_back(std::move(spec));
  return specs;
}

Results reference(const Problem& p, const Tensors& inputs) {
  const std::size_t ranks = inputs.size() / 3;
  const Tensors here = exact_on_first(inputs);
  const at::Tensor total = sum_of_ranks(here, ranks);
  const auto normal = [eps = p.number("eps")](const Tensors& block) {
    const at::Tensor mean_square = at::mean(at::square(block[0]), -1, /*keepdim=*/true);
    return block[0] / at::sqrt(mean_square + eps) * block[1];
  };
  Tensors results;
  for (std::size_t rank = 0; rank < ranks; ++rank) results.push_back(total + here[ranks + rank]);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    results.push_back(
        in_row_blocks(p.integer("cols") * 8, {results[rank]}, {here[2 * ranks + rank]}, normal));
  return results;
}

}  // namespace

Definition all_reduce_rms_norm_definition() {
  return {.inputs = inputs, .reference = reference, .comparable = on_rank_0};
}

}  // namespace plumbline
