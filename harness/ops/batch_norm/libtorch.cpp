#include "backends/libtorch/libtorch.h"

#include <ATen/ops/batch_norm.h>

namespace plumbline {
namespace {

at::Tensor batch_norm(const Problem& p, const Tensors& inputs) {
  const bool is_training = p.flag("training");
  const auto mean = is_training ? std::nullopt : std::optional<at::Tensor>(inputs[3]);
  const auto variance = is_training ? std::nullopt : std::optional<at::Tensor>(inputs[4]);
  return at::batch_norm(inputs[0], inputs[1], inputs[2], mean, variance, is_training,
                        /*momentum=*/0.1, p.number("eps"), /*cudnn_enabled=*/true);
}

}  // namespace

Implementation batch_norm_libtorch() { return libtorch_function(batch_norm); }

}  // namespace plumbline
