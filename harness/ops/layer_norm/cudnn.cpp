#include "backends/cudnn/families/norm.h"

namespace plumbline {

Implementation layer_norm_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    return cudnn_norm({.forward = "LAYER_NORM",
                       .backward = "LAYER_NORM_BPROP",
                       .images = cudnn::rows_with_channels,
                       .parameters = cudnn::rows_with_channels,
                       .statistics = {p.integer("rows"), 1, 1, 1}},
                      p, operands);
  });
}

}  // namespace plumbline
