#include <ATen/TensorOperators.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/tanh.h>

#include <numbers>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("elements")}, .dtype = p.dtype()}};
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  if (p.text("approximate") == "none")
    return 0.5 * x * (1.0 + at::erf(x * (std::numbers::sqrt2 / 2)));
  const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2 / pi)
  return 0.5 * x * (1.0 + at::tanh(scale * (x + 0.044715 * x * x * x)));
}

}  // namespace

Definition gelu_definition() { return {inputs, reference}; }

}  // namespace plumbline
