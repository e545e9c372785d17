/// A kernel that takes as long as it is told. Knows CUDA, not LibTorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace plumbline_spin {

/// Copies `bytes` from `token` to `result` once so many cycles of the SM clock have passed, with
/// one block of one warp. Enqueued; the caller asks for errors.
void launch_spin(std::int64_t cycles, const void* token, void* result, std::int64_t bytes,
                 cudaStream_t stream);

}  // namespace plumbline_spin
