#include "backends/cudnn/families/norm.h"

namespace plumbline {

Implementation rms_norm_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    return cudnn_norm({.forward = "RMS_NORM",
                       .backward = "RMS_NORM_BPROP",
                       .is_centred = false,
                       .images = cudnn::rows_with_channels,
                       .parameters = cudnn::rows_with_channels,
                       .statistics = {p.integer("rows"), 1, 1, 1}},
                      p, operands);
  });
}

}  // namespace plumbline
