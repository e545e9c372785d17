#include "backends/libtorch/libtorch.h"

#include <ATen/ops/softmax.h>

namespace plumbline {

Implementation softmax_libtorch() {
  return libtorch_function([](const Problem& p, const Tensors& inputs) {
    const bool is_transposed = p.text("layout") == "transposed";
    return at::softmax(is_transposed ? inputs[0].t() : inputs[0], -1);
  });
}

}  // namespace plumbline
