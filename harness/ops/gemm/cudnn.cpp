#include "backends/cudnn/families/product.h"

namespace plumbline {

Implementation gemm_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    return cudnn_product(p, operands, p.text("epilogue") == "bias");
  });
}

}  // namespace plumbline
