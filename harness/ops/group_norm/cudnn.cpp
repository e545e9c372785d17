#include "backends/cudnn/families/norm.h"

namespace plumbline {

Implementation group_norm_cudnn() {
  return CudnnImplementation([](const Problem& p, const Operands& operands) {
    return cudnn_norm({.forward = "INSTANCE_NORM",
                       .backward = "INSTANCE_NORM_BPROP",
                       .images = [](const at::Tensor& x) { return x; },
                       .parameters = cudnn_per_channel,
                       .statistics = {p.integer("n"), p.integer("c"), 1, 1}},
                      p, operands);
  });
}

}  // namespace plumbline
