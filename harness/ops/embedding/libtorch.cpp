#include "backends/libtorch/libtorch.h"

#include <ATen/ops/embedding.h>

namespace plumbline {

Implementation embedding_libtorch() {
  return libtorch_function(
      [](const Problem&, const Tensors& inputs) { return at::embedding(inputs[0], inputs[1]); });
}

}  // namespace plumbline
