/// What every LibTorch implementation shares: dtypes, and turning a function of tensors into an
/// Implementation, forward or backward.
#pragma once

#include "backends/implementation.h"

namespace plumbline {

at::ScalarType scalar_type(DType dtype);
/// Throws std::logic_error for a type that no suite can name.
DType dtype_of(at::ScalarType type);

using TorchFunction = at::Tensor (*)(const Problem&, const Tensors& inputs);

/// Forward: a launch calls `function` without recording gradients. Backward: `function` runs once
/// in prepare, recording; a launch is autograd::grad of its output, the graph being kept.
Implementation libtorch_function(TorchFunction function);

}  // namespace plumbline
