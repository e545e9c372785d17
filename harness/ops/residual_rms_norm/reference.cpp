#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/frexp.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>
#include <ATen/ops/zeros_like.h>

#include <tuple>

#include "backends/implementation.h"
#include "backends/libtorch/libtorch.h"
#include "backends/reference_blocks.h"
#include "ops/residual_rms_norm/quantized.h"

namespace plumbline {
namespace {

/// The sum, the normalised row and its product with the weight may be rounded to the dtype, by half
/// a spacing each.
constexpr double kRoundings = 3;
/// Float32 arithmetic, the reciprocal of the root included.
constexpr double kArithmetic = 1e-6;
/// float8_e4m3fn: bits after the point, and the exponent of the smallest normal number.
constexpr double kFractionBits = 3, kLeastExponent = -6;

std::vector<InputSpec> inputs(const Problem& p) {
  const auto rows = p.integer("rows"), cols = p.integer("cols");
  return {{.name = "x", .shape = {rows, cols}, .dtype = p.dtype()},
          {.name = "residual", .shape = {rows, cols}, .dtype = p.dtype()},
          {.name = "weight", .shape = {cols}, .dtype = p.dtype()}};
}

at::Tensor normalised(const Problem& p, const at::Tensor& sum, const at::Tensor& weight) {
  const auto normal = [eps = p.number("eps")](const Tensors& block) {
    const at::Tensor mean_square = at::mean(at::square(block[0]), -1, /*keepdim=*/true);
    return block[0] / at::sqrt(mean_square + eps) * block[1];
  };
  return in_row_blocks(p.integer("cols") * 8, {sum}, {weight}, normal);
}

/// Quantised: by how many steps numbers are further from y / scale than they may be: 0; the scale;
/// the sum.
Results reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor sum = inputs[0] + inputs[1];
  const at::Tensor normal = normalised(p, sum, inputs[2]);
  const Quantized type = quantized(p);
  if (type == Quantized::none) return Tensors{normal, sum};
  const at::Tensor scale = at::amax(at::abs(normal), 1, /*keepdim=*/true) / largest_of(type);
  return Tensors{at::zeros_like(normal), scale, sum};
}

/// The distance between the numbers of the 8-bit type beside `size`.
at::Tensor step_at(const at::Tensor& size) {
  // size = m 2^e with m in [0.5, 1): its binade begins at 2^(e-1).
  const at::Tensor exponent = std::get<1>(at::frexp(size)).to(at::kDouble) - 1;
  return at::exp2(at::clamp_min(exponent, kLeastExponent) - kFractionBits);
}

/// The scale in the dtype, whose tolerance is that of the largest element.
Tensors comparable(const Problem& p, const Tensors& inputs, const Tensors& results) {
  const Quantized type = quantized(p);
  if (type == Quantized::none) return results;
  const at::Tensor normal = normalised(p, exact(inputs[0]) + exact(inputs[1]), exact(inputs[2]));
  const at::Tensor steps = normal / results[1].to(at::kDouble);
  const at::Tensor size = at::abs(steps);
  const at::Tensor distance = at::abs(steps - results[0].to(at::kDouble));
  const double share = kRoundings / 2 * info(p.dtype()).epsilon + kArithmetic;
  const at::Tensor step = type == Quantized::fp8 ? step_at(size) : at::ones_like(size);
  return {at::clamp_min(distance / step - 0.5 - share * size / step, 0),
          results[1].to(scalar_type(p.dtype())), results[2]};
}

}  // namespace

Definition residual_rms_norm_definition() { return {inputs, reference, comparable}; }

}  // namespace plumbline
