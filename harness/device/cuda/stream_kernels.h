/// Kernels for cases with streams: a background load. Functions enqueue on `stream` and throw
/// DeviceError.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace plumbline::cuda {

/// Shared by host and load, in mapped host memory.
struct LoadState {
  static constexpr int kBlocksMax = 1024;
  volatile std::uint32_t released;             // host writes 1: end
  volatile std::uint32_t started[kBlocksMax];  // block i writes 1 at i modulo kBlocksMax: it runs
};

/// Returns the shared memory in bytes that gives a block of the load its multiprocessor alone: all
/// of it. The block also takes all registers. Call once per process and device.
std::size_t prepare_load(int ordinal);

/// Blocks of multiplications and additions, each alone on its multiprocessor. They end when the
/// host says so or after `block_ns`.
void launch_load(LoadState* state, int blocks, std::size_t shared_bytes, std::uint64_t block_ns,
                 cudaStream_t stream);

}  // namespace plumbline::cuda
