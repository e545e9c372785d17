/// Kernels of cases with streams: a background load. Functions enqueue on `stream` and throw
/// DeviceError.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace plumbline::cuda {

/// What host and load share, in mapped host memory.
struct LoadState {
  static constexpr int kBlocksMax = 1024;
  volatile std::uint32_t released;             // host writes 1: end
  volatile std::uint32_t started[kBlocksMax];  // block i, modulo kBlocksMax, writes 1: it runs
};

/// Bytes of shared memory with which a block of the load has its multiprocessor for itself: all
/// that there are. Its registers are all taken as well. To be called once per process and device.
std::size_t prepare_load(int ordinal);

/// Blocks of multiplications and additions, each the only one on its multiprocessor, that end when
/// the host says so, or after `block_ns`.
void launch_load(LoadState* state, int blocks, std::size_t shared_bytes, std::uint64_t block_ns,
                 cudaStream_t stream);

}  // namespace plumbline::cuda
