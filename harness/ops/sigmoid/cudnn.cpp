#include "backends/cudnn/families/activation.h"

namespace plumbline {

Implementation sigmoid_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    return cudnn_activation("SIGMOID", p, operands);
  });
}

}  // namespace plumbline
