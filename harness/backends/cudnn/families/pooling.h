/// Pooling ops. They differ only in cuDNN's mode.
#pragma once

#include "backends/cudnn/cudnn.h"

namespace plumbline {

/// `mode` and `padding_mode` as cuDNN names them. Parameters: kernel, stride (0: kernel), padding.
CudnnProgram cudnn_pooling(const std::string& mode, const std::string& padding_mode,
                           const Problem& problem, const Operands& operands);

}  // namespace plumbline
