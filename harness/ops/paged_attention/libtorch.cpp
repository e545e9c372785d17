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
  const at::Tensor& table = inputs[3];
  const auto sequences = query.size(0), kv_heads = inputs[1].size(2);
  const auto tokens = table.size(1) * p.integer("block_size");
  const auto gathered = [&](const at::Tensor& cache) {
    return cache.index_select(0, table.flatten())
        .view({sequences, tokens, kv_heads, cache.size(3)})
        .transpose(1, 2);
  };
  const at::Tensor is_seen =
      at::arange(tokens, table.options()) < inputs[4].view({sequences, 1, 1, 1});
  return at::scaled_dot_product_attention(
             query.view({sequences, kv_heads, query.size(1) / kv_heads, query.size(2)}),
             gathered(inputs[1]), gathered(inputs[2]), is_seen)
      .reshape(query.sizes());
}

}  // namespace

Implementation paged_attention_libtorch() { return libtorch_function(paged_attention); }

}  // namespace plumbline
