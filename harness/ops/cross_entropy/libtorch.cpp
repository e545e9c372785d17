#include "backends/libtorch/libtorch.h"

#include <ATen/core/Reduction.h>
#include <ATen/ops/cross_entropy_loss.h>

namespace plumbline {

Implementation cross_entropy_libtorch() {
  return libtorch_function([](const Problem& p, const Tensors& inputs) {
    const auto reduction =
        p.text("reduction") == "mean" ? at::Reduction::Mean : at::Reduction::None;
    return at::cross_entropy_loss(inputs[0], inputs[1], /*weight=*/{}, reduction);
  });
}

}  // namespace plumbline
