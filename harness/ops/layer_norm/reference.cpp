#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>

#include "backends/implementation.h"

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
  const at::Tensor centred = inputs[0] - at::mean(inputs[0], -1, /*keepdim=*/true);
  const at::Tensor variance = at::mean(at::square(centred), -1, /*keepdim=*/true);
  const at::Tensor normal = centred / at::sqrt(variance + p.number("eps"));
  return p.flag("affine") ? normal * inputs[1] + inputs[2] : normal;
}

}  // namespace

Definition layer_norm_definition() { return {inputs, reference}; }

}  // namespace plumbline
