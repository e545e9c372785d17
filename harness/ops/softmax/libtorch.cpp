#include "backends/libtorch/libtorch.h"

#include <ATen/ops/softmax.h>

namespace plumbline {

Implementation softmax_libtorch() {
  return libtorch_function(
      [](const Problem&, const Tensors& inputs) { return at::softmax(inputs[0], -1); });
}

}  // namespace plumbline
