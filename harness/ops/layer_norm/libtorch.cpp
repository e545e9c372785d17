#include "backends/libtorch/libtorch.h"

#include <ATen/ops/layer_norm.h>

namespace plumbline {
namespace {

at::Tensor layer_norm(const Problem& p, const Tensors& inputs) {
  const bool affine = p.flag("affine");
  const auto weight = affine ? std::optional<at::Tensor>(inputs[1]) : std::nullopt;
  const auto bias = affine ? std::optional<at::Tensor>(inputs[2]) : std::nullopt;
  return at::layer_norm(inputs[0], p.integer("cols"), weight, bias, p.number("eps"));
}

}  // namespace

Implementation layer_norm_libtorch() { return libtorch_function(layer_norm); }

}  // namespace plumbline
