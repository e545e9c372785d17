#include "backends/libtorch/libtorch.h"

#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/mm.h>

#include "ops/block_scales.h"

namespace plumbline {
namespace {

at::Tensor scales(const at::Tensor& codes) { return codes.view(at::kFloat8_e8m0fnu); }

Tensors packed(const Problem&, const Tensors& inputs) {
  if (inputs[0].is_cpu()) return inputs;
  require_block_scales("at::_scaled_mm: products of MXFP8");
  return {inputs[0], inputs[1], in_tiles(inputs[2]), in_tiles(inputs[3])};
}

at::Tensor mxfp8_gemm(const Problem& p, const Tensors& inputs) {
  const auto type = scalar_type(p.dtype());
  if (inputs[0].is_cpu())
    return at::mm(scaled_blocks(inputs[0].to(at::kFloat), scales(inputs[2])),
                  scaled_blocks(inputs[1].to(at::kFloat), scales(inputs[3])).t())
        .to(type);
  return at::_scaled_mm(inputs[0], inputs[1].t(), scales(inputs[2]), scales(inputs[3]), /*bias=*/{},
                        /*scale_result=*/{}, type);
}

}  // namespace

Implementation mxfp8_gemm_libtorch() {
  return where_libtorch_can(libtorch_function(mxfp8_gemm, packed));
}

}  // namespace plumbline
