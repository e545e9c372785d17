#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>

#include "backends/implementation.h"

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
  const at::Tensor x = inputs[0].reshape({p.integer("n"), p.integer("groups"), -1});
  const at::Tensor centred = x - at::mean(x, -1, /*keepdim=*/true);
  const at::Tensor variance = at::mean(at::square(centred), -1, /*keepdim=*/true);
  const at::Tensor normal =
      (centred / at::sqrt(variance + p.number("eps"))).reshape(inputs[0].sizes());
  if (!p.flag("affine")) return normal;
  return normal * inputs[1].reshape({-1, 1, 1}) + inputs[2].reshape({-1, 1, 1});
}

}  // namespace

Definition group_norm_definition() { return {inputs, reference}; }

}  // namespace plumbline
