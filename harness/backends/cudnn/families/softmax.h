/// Softmax and log-softmax. They differ only in cuDNN's algorithm. cuDNN's graphs have no softmax:
/// no engine takes a reduction whose result another operation reads.
#pragma once

#include "backends/implementation.h"

namespace plumbline {

/// Over the rows of a matrix. `is_transposed`: x is stored by columns.
Prepared cudnn_softmax(const Problem& problem, const Operands& operands, bool is_log,
                       bool is_transposed);

}  // namespace plumbline
