#include "backends/libtorch/libtorch.h"

#include <ATen/ops/mul.h>

namespace plumbline {

Implementation dequantize_int8_libtorch() {
  return libtorch_function([](const Problem& p, const Tensors& inputs) {
    return at::mul(inputs[0], inputs[1]).to(scalar_type(p.dtype()));
  });
}

}  // namespace plumbline
