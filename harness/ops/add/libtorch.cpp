#include "backends/libtorch/libtorch.h"

#include <ATen/ops/add.h>

namespace plumbline {

Implementation add_libtorch() {
  return libtorch_function(
      [](const Problem&, const Tensors& inputs) { return at::add(inputs[0], inputs[1]); });
}

}  // namespace plumbline
