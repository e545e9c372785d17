/// Kernels that misbehave. Knows CUDA, not LibTorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace planted {

/// Writes to invalid memory.
void launch_wild_write(cudaStream_t stream);
/// The same, after a delay.
void launch_late_wild_write(double delay_s, cudaStream_t stream);
/// Never ends.
void launch_endless(cudaStream_t stream);
/// result[i] = 2 * x[i] for i in [0, count), which is right, and 1 for i in [count, count + past).
void launch_doubled(const float* x, float* result, std::int64_t count, std::int64_t past,
                    cudaStream_t stream);

}  // namespace planted
