#include "backends/libtorch/libtorch.h"

#include <ATen/ops/log_softmax.h>

namespace plumbline {

Implementation log_softmax_libtorch() {
  return libtorch_function(
      [](const Problem&, const Tensors& inputs) { return at::log_softmax(inputs[0], -1); });
}

}  // namespace plumbline
