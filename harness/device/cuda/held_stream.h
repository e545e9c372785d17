/// Shared by timers that hold a stream: memory for kernel and host, a hold that always ends, and
/// middle values of readings. Knows no metric.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/unknown.h"
#include "device/cuda/kernels.h"

namespace plumbline::cuda {

/// Memory that the GPU writes and the host reads. Throws DeviceError.
template <class T>
T* mapped_memory(std::size_t count) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped), "cudaHostAlloc");
  return static_cast<T*>(memory);
}

/// With two middle values, the upper one; kUnknown if empty.
inline double median_of(std::vector<double> values) {
  if (values.empty()) return kUnknown;
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The mean of the middle half: finer than the timers' resolution (32 ns) and insensitive to
/// outliers; kUnknown if empty.
inline double midmean_of(std::vector<double> values) {
  if (values.empty()) return kUnknown;
  std::ranges::sort(values);
  const auto quarter = std::ptrdiff_t(values.size() / 4);
  const auto begin = values.begin() + quarter;
  const auto end = values.end() - quarter;
  return std::accumulate(begin, end, 0.0) / double(end - begin);
}

/// Releases the stream however the host leaves the scope.
class HoldGuard {
 public:
  explicit HoldGuard(HoldState* hold) : hold_(hold) {}
  ~HoldGuard() { hold_->released = 1; }
  HoldGuard(const HoldGuard&) = delete;
  HoldGuard& operator=(const HoldGuard&) = delete;

 private:
  HoldState* hold_;
};

}  // namespace plumbline::cuda
