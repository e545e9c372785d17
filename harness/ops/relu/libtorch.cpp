#include "backends/libtorch/libtorch.h"

#include <ATen/ops/relu.h>

namespace plumbline {

Implementation relu_libtorch() {
  return libtorch_function(
      [](const Problem&, const Tensors& inputs) { return at::relu(inputs[0]); });
}

}  // namespace plumbline
