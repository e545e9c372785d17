/// Makes an Implementation from an op's own kernels.
#pragma once

#include "backends/custom/custom_kernels.h"
#include "backends/implementation.h"

namespace plumbline {

/// Supports float32, float16 and bfloat16 on a GPU; throws Unsupported otherwise. Allocates outputs
/// and scratch memory in prepare, so that a launch only launches. `plan: autotune` times each
/// kernel once per case.
Implementation custom_implementation(CustomKernels kernels);

}  // namespace plumbline
