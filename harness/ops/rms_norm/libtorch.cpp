#include "backends/libtorch/libtorch.h"

#include <ATen/ops/rms_norm.h>

namespace plumbline {
namespace {

at::Tensor rms_norm(const Problem& p, const Tensors& inputs) {
  const auto weight = p.flag("affine") ? std::optional<at::Tensor>(inputs[1]) : std::nullopt;
  return at::rms_norm(inputs[0], p.integer("cols"), weight, p.number("eps"));
}

}  // namespace

Implementation rms_norm_libtorch() { return libtorch_function(rms_norm); }

}  // namespace plumbline
