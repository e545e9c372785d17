#include <ATen/TensorOperators.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/tanh.h>

#include <numbers>

#include "backends/reference_blocks.h"
#include "ops/inputs.h"

namespace plumbline {
namespace {

at::Tensor gelu(const at::Tensor& x) {
  return 0.5 * x * (1.0 + at::erf(x * (std::numbers::sqrt2 / 2)));
}

at::Tensor gelu_by_tanh(const at::Tensor& x) {
  const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2 / pi)
  return 0.5 * x * (1.0 + at::tanh(scale * (x + 0.044715 * x * x * x)));
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto function = p.text("approximate") == "none" ? gelu : gelu_by_tanh;
  return in_row_blocks(sizeof(double), inputs, {},
                       [function](const Tensors& x) { return function(x[0]); });
}

}  // namespace

Definition gelu_definition() { return {vector_x, reference}; }

}  // namespace plumbline
