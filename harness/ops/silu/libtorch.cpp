#include "backends/libtorch/libtorch.h"

#include <ATen/ops/silu.h>

namespace plumbline {

Implementation silu_libtorch() {
  return libtorch_function(
      [](const Problem&, const Tensors& inputs) { return at::silu(inputs[0]); });
}

}  // namespace plumbline
