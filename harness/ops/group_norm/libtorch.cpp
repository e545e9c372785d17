#include "backends/libtorch/libtorch.h"

#include <ATen/ops/group_norm.h>

namespace plumbline {
namespace {

at::Tensor group_norm(const Problem& p, const Tensors& inputs) {
  const bool affine = p.flag("affine");
  const auto weight = affine ? std::optional<at::Tensor>(inputs[1]) : std::nullopt;
  const auto bias = affine ? std::optional<at::Tensor>(inputs[2]) : std::nullopt;
  return at::group_norm(inputs[0], p.integer("groups"), weight, bias, p.number("eps"));
}

}  // namespace

Implementation group_norm_libtorch() { return libtorch_function(group_norm); }

}  // namespace plumbline
