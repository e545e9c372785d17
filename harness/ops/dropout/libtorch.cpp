#include "backends/libtorch/libtorch.h"

#include <ATen/ops/dropout.h>

namespace plumbline {

Implementation dropout_libtorch() {
  return libtorch_function([](const Problem& p, const Tensors& inputs) {
    return at::dropout(inputs[0], p.number("p"), /*train=*/true);
  });
}

}  // namespace plumbline
