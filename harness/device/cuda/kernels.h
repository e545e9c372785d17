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

/// Shared by host and holding kernel, in mapped host memory.
struct HoldState {
  volatile std::uint32_t released;  // host writes 1: release
  volatile std::uint32_t expired;   // kernel writes 1: the watchdog released it
};

/// A guard band on the device.
struct GuardSpan {
  unsigned char* begin;
  std::uint64_t bytes;
};

/// Which guard bands to check, and the result; in mapped host memory.
struct GuardQuery {
  static constexpr int kBandsMax = 1 << 14;  // two for each of 8,192 tensors, checked by one launch
  GuardSpan bands[kBandsMax];
  std::int32_t touched;  // index of a band that does not hold the pattern; -1 = all do
};

/// Sums of one digest (device.h).
struct DigestSums {
  unsigned long long bits, poisoned;
};

/// Name of the kernel of launch_mark, as CUPTI shows it.
inline constexpr const char* kMarkName = "plumbline::cuda::mark_kernel()";

/// Call once, before the first launch_fill().
void upload_normal_quantiles();
void launch_fill(const Buffer& buffer, std::uint64_t seed, const Distribution& distribution,
                 cudaStream_t stream);
/// Reads all of `data`: evicts the cache's earlier contents and leaves no dirty lines.
void launch_evict(const void* data, std::size_t bytes, void* sink, cudaStream_t stream);
/// Writes all of `data`: fills the cache with its dirty lines.
void launch_write(void* data, std::size_t bytes, cudaStream_t stream);
/// One thread that is busy for `cycles` cycles of its multiprocessor.
void launch_spin(std::int64_t cycles, cudaStream_t stream);
/// One thread that waits for `ns` nanoseconds of the GPU's clock.
void launch_rest(std::uint64_t ns, cudaStream_t stream);
/// Does nothing; separates launches in a trace.
void launch_mark(cudaStream_t stream);
/// Fills both bands with the pattern.
void launch_guard(GuardSpan before, GuardSpan behind, int pattern, cudaStream_t stream);
/// Checks the first `count` bands of the query.
void launch_guard_check(GuardQuery* query, int count, int pattern, cudaStream_t stream);
/// For `count` pieces of memory, aligned to 16 bytes: launch_poison fills them with 0xff,
/// launch_digest adds their digest to the sums in device memory.
void launch_poison(const MemorySpan* spans, std::size_t count, cudaStream_t stream);
void launch_digest(const MemorySpan* spans, std::size_t count, DigestSums* sums,
                   cudaStream_t stream);
/// Occupies the stream until the host releases it or `watchdog_ns` have passed.
void launch_hold(HoldState* state, std::uint64_t watchdog_ns, cudaStream_t stream);
void launch_clock_reading(ClockReading* reading, cudaStream_t stream);
void launch_nothing(cudaStream_t stream);

}  // namespace plumbline::cuda
