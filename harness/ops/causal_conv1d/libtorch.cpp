#include "backends/libtorch/libtorch.h"

#include <ATen/ops/conv1d.h>
#include <ATen/ops/silu.h>

namespace plumbline {
namespace {

/// Padded on both sides, which takes no kernel of its own; results beyond the sequence are dropped.
at::Tensor causal_conv1d(const Problem& p, const Tensors& inputs) {
  const auto width = p.integer("width"), channels = p.integer("channels");
  const at::Tensor sum =
      at::conv1d(inputs[0], inputs[1].unsqueeze(1), inputs[2], /*stride=*/1, /*padding=*/width - 1,
                 /*dilation=*/1, /*groups=*/channels)
          .slice(2, 0, p.integer("length"));
  return at::silu(sum);
}

}  // namespace

Implementation causal_conv1d_libtorch() { return libtorch_function(causal_conv1d); }

}  // namespace plumbline
