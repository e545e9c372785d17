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
  if (p.flag("affine")) specs.push_back({.name = "weight", .shape = {cols}, .dtype = p.dtype()});
  return specs;
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor mean_square = at::mean(at::square(inputs[0]), -1, /*keepdim=*/true);
  const at::Tensor normal = inputs[0] / at::sqrt(mean_square + p.number("eps"));
  return p.flag("affine") ? normal * inputs[1] : normal;
}

}  // namespace

Definition rms_norm_definition() { return {inputs, reference}; }

}  // namespace plumbline
