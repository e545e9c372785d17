/// What all LibTorch implementations share: dtypes, and making an Implementation from a function of
/// tensors, forward or backward.
#pragma once

#include "backends/implementation.h"

namespace plumbline {

at::ScalarType scalar_type(DType dtype);
/// Throws std::logic_error for a type that no suite can name.
DType dtype_of(at::ScalarType type);

/// Inputs of a reference: floating-point tensors in float64, others unchanged.
at::Tensor exact(const at::Tensor& tensor);

/// Tells a tensor that its memory was overwritten, as LibTorch's own operators do: caches keyed by
/// a tensor's version must notice it.
void has_other_values(const at::Tensor& tensor);

using TorchFunction = std::function<Results(const Problem&, const Tensors& inputs)>;
/// Runs once, in prepare. Returns tensors that replace the inputs, in order; others that a launch
/// needs may follow.
using TorchPacking = std::function<Tensors(const Problem&, const Tensors& inputs)>;

/// Forward: a launch calls `function` without recording gradients. Backward: `function` runs once
/// in prepare and records; a launch is autograd::grad of its first result and keeps the graph. Uses
/// the case's library settings; a setting that LibTorch refuses is Unsupported.
Implementation libtorch_function(TorchFunction function, TorchPacking pack = nullptr);

/// The same, launched once in prepare: if LibTorch refuses a device, dtype or shape, the case is
/// Unsupported with LibTorch's message.
Implementation where_libtorch_can(Implementation implementation);

}  // namespace plumbline
