#include "backends/libtorch/libtorch.h"

namespace plumbline {

Implementation transpose_libtorch() {
  return libtorch_function(
      [](const Problem&, const Tensors& inputs) { return inputs[0].t().contiguous(); });
}

}  // namespace plumbline
