/// Softmax and its logarithm, which differ in cuDNN's algorithm alone. Its graphs have none: a
/// reduction whose result another operation reads is no pattern that an engine takes.
#pragma once

#include "backends/implementation.h"

namespace plumbline {

/// Of the rows of a matrix. `is_transposed`: x is stored by columns.
Prepared cudnn_softmax(const Problem& problem, const Operands& operands, bool is_log,
                       bool is_transposed);

}  // namespace plumbline
