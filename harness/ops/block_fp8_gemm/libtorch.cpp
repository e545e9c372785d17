#include "backends/libtorch/libtorch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/mm.h>

namespace plumbline {
namespace {

constexpr std::int64_t kBlock = 128;

/// x[i, j] times the scale of its block of `rows` x 128, in float32.
at::Tensor scaled(const at::Tensor& x, const at::Tensor& scales, std::int64_t rows) {
  const at::Tensor whole = at::constant_pad_nd(
      x.to(at::kFloat),
      {0, scales.size(1) * kBlock - x.size(1), 0, scales.size(0) * rows - x.size(0)});
  const at::Tensor blocks =
      whole.view({scales.size(0), rows, scales.size(1), kBlock}) * scales.unsqueeze(1).unsqueeze(3);
  return blocks.reshape(whole.sizes()).slice(0, 0, x.size(0)).slice(1, 0, x.size(1));
}

/// cuBLAS has these scales on GPUs of compute capability 9.0; LibTorch refuses others.
at::Tensor block_fp8_gemm(const Problem& p, const Tensors& inputs) {
  const at::Tensor scale_a = inputs[2].t();
  if (inputs[0].is_cpu())
    return at::mm(scaled(inputs[0], scale_a, 1), scaled(inputs[1], inputs[3], kBlock).t())
        .to(scalar_type(p.dtype()));
  return at::_scaled_mm(inputs[0], inputs[1].t(), scale_a, inputs[3].t(), /*bias=*/{},
                        /*scale_result=*/{}, scalar_type(p.dtype()));
}

}  // namespace

Implementation block_fp8_gemm_libtorch() {
  return where_libtorch_can(libtorch_function(block_fp8_gemm));
}

}  // namespace plumbline
