#include "backends/libtorch/libtorch.h"

#include <ATen/core/Reduction.h>
#include <ATen/ops/ctc_loss.h>
#include <ATen/ops/log_softmax.h>

namespace plumbline {
namespace {

at::Tensor ctc_loss(const Problem& p, const Tensors& inputs) {
  return at::ctc_loss(
      at::log_softmax(inputs[0], -1), inputs[1],
      std::vector<std::int64_t>(std::size_t(p.integer("batch")), p.integer("steps")),
      std::vector<std::int64_t>(std::size_t(p.integer("batch")), p.integer("labels")),
      /*blank=*/0, at::Reduction::None);
}

}  // namespace

Implementation ctc_loss_libtorch() { return libtorch_function(ctc_loss); }

}  // namespace plumbline
