#include "backends/cudnn/families/softmax.h"

namespace plumbline {

Implementation softmax_cudnn() {
  return [](const Problem& p, const Operands& operands) {
    return cudnn_softmax(p, operands, /*is_log=*/false, p.text("layout") == "transposed");
  };
}

}  // namespace plumbline
