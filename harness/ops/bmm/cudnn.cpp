#include "backends/cudnn/families/product.h"

namespace plumbline {

Implementation bmm_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    return cudnn_product(p, operands, /*has_bias=*/false);
  });
}

}  // namespace plumbline
