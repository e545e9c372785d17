#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto c = p.integer("c");
  std::vector<InputSpec> specs{{.name = "x",
                                .shape = {p.integer("n"), c, p.integer("h"), p.integer("w")},
                                .dtype = p.dtype(),
                                .is_channels_last = p.text("layout") == "nhwc"}};
  if (p.flag("affine")) {
    specs.push_back({.name = "weight", .shape = {c}, .dtype = p.dtype()});
    specs.push_back({.name = "bias", .shape = {c}, .dtype = p.dtype()});
  }
  return specs;
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto normal = [groups = p.integer("groups"), eps = p.number("eps")](const Tensors& block) {
    const at::Tensor x = block[0].reshape({block[0].size(0), groups, -1});
    const at::Tensor centred = x - at::mean(x, -1, /*keepdim=*/true);
    const at::Tensor variance = at::mean(at::square(centred), -1, /*keepdim=*/true);
    const at::Tensor images = (centred / at::sqrt(variance + eps)).reshape(block[0].sizes());
    if (block.size() == 1) return images;
    return images * block[1].reshape({-1, 1, 1}) + block[2].reshape({-1, 1, 1});
  };
  return in_row_blocks(inputs[0][0].numel() * 8, {inputs[0]}, {inputs.begin() + 1, inputs.end()},
                       normal);
}

}  // namespace

Definition group_norm_definition() { return {inputs, reference}; }

}  // namespace plumbline
