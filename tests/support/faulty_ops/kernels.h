/// Kernels that misbehave. Knows CUDA, not LibTorch.
#pragma once

#include <cuda_runtime_api.h>

namespace planted {

/// Writes where no memory is.
void launch_wild_write(cudaStream_t stream);
/// Never ends.
void launch_endless(cudaStream_t stream);

}  // namespace planted
