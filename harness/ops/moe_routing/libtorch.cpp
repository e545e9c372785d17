#include "backends/libtorch/libtorch.h"

#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>

namespace plumbline {
namespace {

/// Weights that add up to 1 are the softmax of the selected logits alone.
Results moe_routing(const Problem& p, const Tensors& inputs) {
  const auto [logits, indices] = at::topk(inputs[0], p.integer("top_k"));
  const at::Tensor weights =
      p.flag("renormalize") ? at::softmax(logits, 1) : at::softmax(inputs[0], 1).gather(1, indices);
  return Tensors{weights, indices};
}

}  // namespace

Implementation moe_routing_libtorch() { return libtorch_function(moe_routing); }

}  // namespace plumbline
