/// Kernels that take a given time, by the clock or by the bytes that they move. They use CUDA, but
/// not LibTorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace plumbline_spin {

/// Copies `bytes` from `token` to `result` after `cycles` cycles of the SM clock, with one block of
/// one warp. Enqueued; the caller checks for errors.
void launch_spin(std::int64_t cycles, const void* token, void* result, std::int64_t bytes,
                 cudaStream_t stream);

/// Bytes copied at once.
constexpr std::int64_t kPackBytes = 16;

/// Copies `packs` of kPackBytes, and then the first `extra_packs` of them again. Both pointers are
/// aligned to a pack, `extra_packs` <= `packs`. Enqueued; the caller checks for errors.
void launch_copy(const void* from, void* to, std::int64_t packs, std::int64_t extra_packs,
                 cudaStream_t stream);

}  // namespace plumbline_spin
