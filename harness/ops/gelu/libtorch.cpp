#include "backends/libtorch/libtorch.h"

#include <ATen/ops/gelu.h>

namespace plumbline {

Implementation gelu_libtorch() {
  return libtorch_function([](const Problem& p, const Tensors& inputs) {
    return at::gelu(inputs[0], p.text("approximate"));
  });
}

}  // namespace plumbline
