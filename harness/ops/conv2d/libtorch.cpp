#include "backends/libtorch/libtorch.h"

#include <ATen/ops/conv2d.h>

namespace plumbline {
namespace {

at::Tensor conv2d(const Problem& p, const Tensors& inputs) {
  const auto bias = p.flag("bias") ? std::optional<at::Tensor>(inputs[2]) : std::nullopt;
  return at::conv2d(inputs[0], inputs[1], bias, p.integer("stride"), p.integer("padding"),
                    p.integer("dilation"), p.integer("groups"));
}

}  // namespace

Implementation conv2d_libtorch() { return libtorch_function(conv2d); }

}  // namespace plumbline
