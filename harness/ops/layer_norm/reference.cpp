#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto rows = p.integer("rows"), cols = p.integer("cols");
  std::vector<InputSpec> specs{{.name = "x", .shape = {rows, cols}, .dtype = p.dtype()}};
  if (p.flag("affine")) {
    specs.push_back({.name = "weight", .shape = {cols}, .dtype = p.dtype()});
    specs.push_back({.name = "bias", .shape = {cols}, .dtype = p.dtype()});
  }
  return specs;
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto normal = [eps = p.number("eps")](const Tensors& block) {
    const at::Tensor centred = block[0] - at::mean(block[0], -1, /*keepdim=*/true);
    const at::Tensor variance = at::mean(at::square(centred), -1, /*keepdim=*/true);
    const at::Tensor rows = centred / at::sqrt(variance + eps);
    return block.size() == 3 ? rows * block[1] + block[2] : rows;
  };
  return in_row_blocks(p.integer("cols") * 8, {inputs[0]}, {inputs.begin() + 1, inputs.end()},
                       normal);
}

}  // namespace

Definition layer_norm_definition() { return {inputs, reference}; }

}  // namespace plumbline
