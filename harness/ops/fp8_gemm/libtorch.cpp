#include "backends/libtorch/libtorch.h"

#include <ATen/ops/_scaled_mm.h>

namespace plumbline {

Implementation fp8_gemm_libtorch() {
  return where_libtorch_can(libtorch_function([](const Problem& p, const Tensors& inputs) {
    return at::_scaled_mm(inputs[0], inputs[1].t(), inputs[2], inputs[3], /*bias=*/{},
                          /*scale_result=*/{}, scalar_type(p.dtype()), p.flag("fast_accumulation"));
  }));
}

}  // namespace plumbline
