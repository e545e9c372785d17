#include "backends/cudnn/families/pooling.h"

namespace plumbline {

Implementation max_pool2d_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    return cudnn_pooling("MAXPOOL", "NEG_INF_PAD", p, operands);
  });
}

}  // namespace plumbline
