#include "backends/cudnn/families/softmax.h"

namespace plumbline {

Implementation log_softmax_cudnn() {
  return [](const Problem& p, const Operands& operands) {
    return cudnn_softmax(p, operands, /*is_log=*/true, /*is_transposed=*/false);
  };
}

}  // namespace plumbline
