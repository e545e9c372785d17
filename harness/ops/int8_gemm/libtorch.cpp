#include "backends/libtorch/libtorch.h"

#include <ATen/ops/_int_mm.h>

namespace plumbline {

Implementation int8_gemm_libtorch() {
  return where_libtorch_can(libtorch_function([](const Problem& p, const Tensors& inputs) {
    return at::_int_mm(inputs[0], p.flag("transpose_b") ? inputs[1].t() : inputs[1]);
  }));
}

}  // namespace plumbline
