#include "backends/cudnn/families/pooling.h"

namespace plumbline {

Implementation avg_pool2d_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    const bool counts = p.flag("count_padding");
    return cudnn_pooling(counts ? "AVGPOOL_INCLUDE_PADDING" : "AVGPOOL_EXCLUDE_PADDING", "ZERO_PAD",
                         p, operands);
  });
}

}  // namespace plumbline
