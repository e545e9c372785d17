/// Activations of one vector. They differ only in cuDNN's name for them.
#pragma once

#include "backends/cudnn/cudnn.h"

namespace plumbline {

/// `mode` is cuDNN's pointwise mode without its direction: GELU, SWISH, …
CudnnProgram cudnn_activation(const std::string& mode, const Problem& problem,
                              const Operands& operands);

}  // namespace plumbline
