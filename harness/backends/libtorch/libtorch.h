/// What every LibTorch implementation shares: dtypes, and turning a function of tensors into an
/// Implementation, forward or backward.
#pragma once

#include "backends/implementation.h"

namespace plumbline {

at::ScalarType scalar_type(DType dtype);
/// Throws std::logic_error for a type that no suite can name.
DType dtype_of(at::ScalarType type);

/// What a reference is computed from: floating-point tensors in float64, others as they are.
at::Tensor exact(const at::Tensor& tensor);

/// Tells a tensor that something else was written to its memory, as LibTorch's own operators do:
/// what keeps results by a tensor's version must see it.
void has_other_values(const at::Tensor& tensor);

using TorchFunction = std::function<Results(const Problem&, const Tensors& inputs)>;
/// Done once, in prepare: tensors that stand for the inputs from there on, in their order; what
/// else a launch needs may follow them.
using TorchPacking = std::function<Tensors(const Problem&, const Tensors& inputs)>;

/// Forward: a launch calls `function` without recording gradients. Backward: `function` runs once
/// in prepare, recording; a launch is autograd::grad of its first result, the graph being kept.
/// Under the case's library settings; one that LibTorch refuses is Unsupported.
Implementation libtorch_function(TorchFunction function, TorchPacking pack = nullptr);

/// The same, launched once in prepare: a device, dtype or shape that LibTorch's own checks refuse
/// is Unsupported, in its words.
Implementation where_libtorch_can(Implementation implementation);

}  // namespace plumbline
