#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/zeros_like.h>

#include "ops/inputs.h"

namespace plumbline {
namespace {

/// How much more than half a step x / scale may be from its integer: float32 arithmetic near 127.
constexpr double kRounding = 1e-4;

/// rows x 1, or 1 x 1.
at::Tensor scale_of(const Problem& p, const at::Tensor& x) {
  const at::Tensor size = at::abs(x);
  return (p.text("scale") == "row" ? at::amax(size, 1, /*keepdim=*/true)
                                   : at::amax(size).reshape({1, 1})) /
         127.0;
}

/// By how many steps integers are more than half a step from x / scale: 0; and the scale.
Results reference(const Problem& p, const Tensors& inputs) {
  return Tensors{at::zeros_like(inputs[0]), scale_of(p, inputs[0])};
}

Tensors comparable(const Problem& p, const Tensors& inputs, const Tensors& results) {
  const at::Tensor x = inputs[0].to(at::kDouble);
  const at::Tensor distance = at::abs(x / scale_of(p, x) - results[0].to(at::kDouble));
  return {at::clamp_min(distance - (0.5 + kRounding), 0), results[1]};
}

}  // namespace

Definition quantize_int8_definition() { return {matrix_x, reference, comparable}; }

}  // namespace plumbline
