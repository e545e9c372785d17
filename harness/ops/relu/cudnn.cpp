#include "backends/cudnn/families/activation.h"

namespace plumbline {

Implementation relu_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    return cudnn_activation("RELU", p, operands);
  });
}

}  // namespace plumbline
