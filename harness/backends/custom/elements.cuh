/// Elementwise kernels: they read and write each element once.
///
/// A Body is copied to the device and has
///   template <int kCount> auto load(std::int64_t first) const;
///   template <int kCount> void store(std::int64_t first, const Loaded&) const;
/// for the elements from `first` on, aligned if kCount > 1. A thread issues all its loads before
/// its first store.
#pragma once

#include <cuda_runtime_api.h>

#include "backends/custom/packs.cuh"

namespace plumbline::custom {

inline constexpr int kElementThreads = 256;

template <int kCount, int kPacks, class Body>
__global__ void __launch_bounds__(kElementThreads) each_element(std::int64_t count, Body body) {
  const std::int64_t packs = count / kCount;
  const std::int64_t first = std::int64_t(blockIdx.x) * (kElementThreads * kPacks) + threadIdx.x;
  decltype(body.template load<kCount>(0)) loaded[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k)
    if (const std::int64_t pack = first + k * kElementThreads; pack < packs)
      loaded[k] = body.template load<kCount>(pack * kCount);
#pragma unroll
  for (int k = 0; k < kPacks; ++k)
    if (const std::int64_t pack = first + k * kElementThreads; pack < packs)
      body.template store<kCount>(pack * kCount, loaded[k]);
  const std::int64_t rest = packs * kCount + threadIdx.x;
  if (kCount > 1 && blockIdx.x == 0 && rest < count)
    body.template store<1>(rest, body.template load<1>(rest));
}

template <int kCount, int kPacks, class Body>
void launch_each_element(std::int64_t count, const Body& body, cudaStream_t stream) {
  const std::int64_t blocks = ceil_div(ceil_div(count, kCount), kElementThreads * kPacks);
  each_element<kCount, kPacks><<<unsigned(blocks), kElementThreads, 0, stream>>>(count, body);
}

}  // namespace plumbline::custom
