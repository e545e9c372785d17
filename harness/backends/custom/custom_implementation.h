/// From an op's own kernels to an Implementation.
#pragma once

#include "backends/custom/custom_kernels.h"
#include "backends/implementation.h"

namespace plumbline {

/// Of float32, float16 and bfloat16 on a GPU; else Unsupported. Outputs and scratch memory are
/// allocated in prepare, so that a launch does nothing but launch. `plan: autotune` times each
/// kernel once per case.
Implementation custom_implementation(CustomKernels kernels);

}  // namespace plumbline
