#include "backends/libtorch/libtorch.h"

#include <ATen/ops/scaled_dot_product_attention.h>

namespace plumbline {
namespace {

at::Tensor sdpa(const Problem& p, const Tensors& inputs) {
  const bool is_grouped = inputs[0].size(1) != inputs[1].size(1);
  return at::scaled_dot_product_attention(inputs[0], inputs[1], inputs[2], /*attn_mask=*/{},
                                          /*dropout_p=*/0.0, p.flag("causal"),
                                          /*scale=*/std::nullopt, /*enable_gqa=*/is_grouped);
}

}  // namespace

Implementation sdpa_libtorch() { return libtorch_function(sdpa); }

}  // namespace plumbline
