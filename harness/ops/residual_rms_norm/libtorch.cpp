#include "backends/libtorch/libtorch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/round.h>

#include "ops/residual_rms_norm/quantized.h"

namespace plumbline {
namespace {

/// With a two-dimensional scale, LibTorch divides in float32 even if y has 16 bits.
Results residual_rms_norm(const Problem& p, const Tensors& inputs) {
  const at::Tensor sum = at::add(inputs[0], inputs[1]);
  const at::Tensor normal = at::rms_norm(sum, p.integer("cols"), inputs[2], p.number("eps"));
  const Quantized type = quantized(p);
  if (type == Quantized::none) return Tensors{normal, sum};
  const at::Tensor scale =
      at::amax(at::abs(normal), 1, /*keepdim=*/true).to(at::kFloat) / largest_of(type);
  const at::Tensor steps = normal / scale;
  return Tensors{
      type == Quantized::int8 ? at::round(steps).to(at::kChar) : steps.to(at::kFloat8_e4m3fn),
      scale, sum};
}

}  // namespace

Implementation residual_rms_norm_libtorch() { return libtorch_function(residual_rms_norm); }

}  // namespace plumbline
