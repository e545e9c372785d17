/// Matrix products, alone or with a bias: ops that differ in their parameters alone.
#pragma once

#include "backends/cudnn/cudnn.h"

namespace plumbline {

/// Inputs: a and b as the parameters `transpose_a` and `transpose_b` say they are stored, in two
/// dimensions or, with a batch, three; with `has_bias` one value for each column of the result.
CudnnProgram cudnn_product(const Problem& problem, const Operands& operands, bool has_bias);

}  // namespace plumbline
