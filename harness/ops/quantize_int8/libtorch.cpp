#include "backends/libtorch/libtorch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/round.h>

namespace plumbline {
namespace {

/// With a two-dimensional scale, LibTorch divides in float32 even if x has 16 bits.
Results quantize_int8(const Problem& p, const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  const at::Tensor size = at::abs(x);
  const at::Tensor largest = p.text("scale") == "row" ? at::amax(size, 1, /*keepdim=*/true)
                                                      : at::amax(size).reshape({1, 1});
  const at::Tensor scale = largest.to(at::kFloat) / 127.0;
  return Tensors{at::round(x / scale).to(at::kChar), scale};
}

}  // namespace

Implementation quantize_int8_libtorch() { return libtorch_function(quantize_int8); }

}  // namespace plumbline
