#include "backends/libtorch/libtorch.h"

#include <ATen/ops/mul.h>
#include <ATen/ops/silu.h>

namespace plumbline {

Implementation swiglu_libtorch() {
  return libtorch_function([](const Problem&, const Tensors& inputs) {
    return at::mul(at::silu(inputs[0]), inputs[1]);
  });
}

}  // namespace plumbline
