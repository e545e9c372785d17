#include "backends/cudnn/families/activation.h"

namespace plumbline {

Implementation gelu_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    const bool is_tanh = p.text("approximate") == "tanh";
    return cudnn_activation(is_tanh ? "GELU_APPROX_TANH" : "GELU", p, operands);
  });
}

}  // namespace plumbline
