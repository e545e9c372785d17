#include "backends/libtorch/libtorch.h"

#include <ATen/ops/sigmoid.h>

namespace plumbline {

Implementation sigmoid_libtorch() {
  return libtorch_function(
      [](const Problem&, const Tensors& inputs) { return at::sigmoid(inputs[0]); });
}

}  // namespace plumbline
