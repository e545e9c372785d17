/// The harness's own kernels. Each function enqueues on `stream` and throws DeviceError.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "device/buffer.h"

namespace plumbline::cuda {

/// Throws DeviceError naming the call unless `code` is cudaSuccess.
void check(cudaError_t code, const char* call);

/// One reading of the clocks of a multiprocessor.
struct ClockReading {
  std::uint64_t cycles, nanoseconds;  // clock64, globaltimer
  std::uint32_t multiprocessor;
};

/// What host and holding kernel share, in mapped host memory.
struct HoldState {
  volatile std::uint32_t released;  // host writes 1: let go
  volatile std::uint32_t expired;   // kernel writes 1: the watchdog let go
};

void launch_fill(const Buffer& buffer, std::uint64_t seed, const Distribution& distribution,
                 cudaStream_t stream);
/// Reads all of `data`, so that what the cache held before is gone and nothing in it is dirty.
void launch_evict(const void* data, std::size_t bytes, void* sink, cudaStream_t stream);
/// Occupies the stream until the host releases it, or `watchdog_ns` have passed.
void launch_hold(HoldState* state, std::uint64_t watchdog_ns, cudaStream_t stream);
void launch_clock_reading(ClockReading* reading, cudaStream_t stream);
void launch_nothing(cudaStream_t stream);

}  // namespace plumbline::cuda
