#include "backends/libtorch/libtorch.h"

#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tensor.h>
#if __has_include(<ATen/ops/_scaled_mm_v2.h>)
#include <ATen/ops/_scaled_mm_v2.h>
#define PLUMBLINE_HAS_SCALED_MM_V2 1
#endif

#include "ops/block_scales.h"

namespace plumbline {
namespace {

/// E2M1 by code.
at::Tensor numbers() {
  return at::tensor({0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F, -0.0F, -0.5F, -1.0F, -1.5F,
                     -2.0F, -3.0F, -4.0F, -6.0F});
}

at::Tensor in_float32(const at::Tensor& bytes, const at::Tensor& scale, const at::Tensor& global) {
  const at::Tensor codes = unpacked(bytes);
  const at::Tensor values =
      at::index_select(numbers(), 0, codes.flatten().to(at::kInt)).view(codes.sizes());
  return scaled_blocks(values, scale) * global;
}

Tensors packed(const Problem&, const Tensors& inputs) {
  if (inputs[0].is_cpu()) return inputs;
  require_block_scales("at::_scaled_mm_v2: products of NVFP4");
  return {inputs[0], inputs[1], in_tiles(inputs[2]), in_tiles(inputs[3]), inputs[4], inputs[5]};
}

/// Its numbers: torch/nn/functional.py, ScalingType and SwizzleType.
at::Tensor on_tensor_cores(const Tensors& inputs, at::ScalarType type) {
#ifdef PLUMBLINE_HAS_SCALED_MM_V2
  constexpr std::int64_t kBlocksOf16 = 2, kTensor = 0, kTiles = 1, kPlain = 0;
  const auto codes = [](const at::Tensor& bytes) { return bytes.view(at::kFloat4_e2m1fn_x2); };
  const auto scales = [](const at::Tensor& bytes) { return bytes.view(at::kFloat8_e4m3fn); };
  return at::_scaled_mm_v2(codes(inputs[0]), codes(inputs[1]).t(), {scales(inputs[2]), inputs[4]},
                           {kBlocksOf16, kTensor}, {kTiles, kPlain}, {scales(inputs[3]), inputs[5]},
                           {kBlocksOf16, kTensor}, {kTiles, kPlain}, /*bias=*/{}, type);
#else
  static_cast<void>(inputs), static_cast<void>(type);
  throw Unsupported(
      "this LibTorch has no at::_scaled_mm_v2, which takes both scales of NVFP4; 2.10 has");
#endif
}

at::Tensor nvfp4_gemm(const Problem& p, const Tensors& inputs) {
  const auto type = scalar_type(p.dtype());
  if (!inputs[0].is_cpu()) return on_tensor_cores(inputs, type);
  return at::mm(in_float32(inputs[0], inputs[2], inputs[4]),
                in_float32(inputs[1], inputs[3], inputs[5]).t())
      .to(type);
}

}  // namespace

Implementation nvfp4_gemm_libtorch() {
  return where_libtorch_can(libtorch_function(nvfp4_gemm, packed));
}

}  // namespace plumbline
