/// Matrix products, with or without a bias. The ops differ only in their parameters.
#pragma once

#include "backends/cudnn/cudnn.h"

namespace plumbline {

/// Inputs: a and b, stored as the parameters `transpose_a` and `transpose_b` say, with two
/// dimensions, or three with a batch. With `has_bias`: also one value for each column of the
/// result.
CudnnProgram cudnn_product(const Problem& problem, const Operands& operands, bool has_bias);

}  // namespace plumbline
