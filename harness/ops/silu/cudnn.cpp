#include "backends/cudnn/families/activation.h"

namespace plumbline {

Implementation silu_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    return cudnn_activation("SWISH", p, operands);
  });
}

}  // namespace plumbline
