#include "backends/libtorch/libtorch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/scaled_dot_product_attention.h>

namespace plumbline {
namespace {

/// LibTorch 2.11 has no attention that reads a block table: blocks are gathered into one tensor,
/// and a mask hides what is beyond a context. Query heads that share a key head are the queries of
/// that head: kernels that know no shared heads can take them.
at::Tensor paged_attention(const Problem& p, const Tensors& inputs) {
  const at::Tensor& query = inputs[0];
  const at::Tensor& table = inputs[inputs.size() - 2];
  const auto sequences = query.size(0), kv_heads = inputs[1].size(2);
  const auto tokens = table.size(1) * p.integer("block_size");
  const auto gathered = [&](const at::Tensor& cache) {
    return cache.index_select(0, table.flatten())
        .view({sequences, tokens, kv_heads, cache.size(3)})
        .transpose(1, 2);
  };
  const at::Tensor keys = gathered(inputs[1]);
  const auto latent = p.integer("latent");
  const at::Tensor values = latent == 0 ? gathered(inputs[2]) : keys.narrow(3, 0, latent);
  const at::Tensor is_seen =
      at::arange(tokens, table.options()) < inputs.back().view({sequences, 1, 1, 1});
  return at::scaled_dot_product_attention(
             query.view({sequences, kv_heads, query.size(1) / kv_heads, query.size(2)}), keys,
             values, is_seen)
      .reshape({sequences, query.size(1), values.size(3)});
}

}  // namespace

Implementation paged_attention_libtorch() { return libtorch_function(paged_attention); }

}  // namespace plumbline
