/// Groups of threads that share a row, and reductions over their values.
#pragma once

#include <cuda_runtime_api.h>

#include <cfloat>
#include <cstdint>

namespace plumbline::custom {

inline constexpr int kWarp = 32;
inline constexpr int kWarpsPerBlock = 4;  // for rows taken by lanes of a warp

struct Sum {
  static constexpr float kNeutral = 0;
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Maximum {
  static constexpr float kNeutral = -FLT_MAX;
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

/// Reduces over groups of kLanes adjacent lanes (a power of two); each lane gets its group's
/// result. The groups of a warp need not arrive together.
template <class Reduction, int kLanes>
__device__ float over_lanes(float value) {
  constexpr unsigned kMask = 0xffffffffu >> (kWarp - kLanes);
  const unsigned group = kMask << (threadIdx.x % kWarp / kLanes * kLanes);
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    value = Reduction()(value, __shfl_xor_sync(group, value, offset));
  return value;
}
template <class Reduction>
__device__ float over_warp(float value) {
  return over_lanes<Reduction, kWarp>(value);
}

/// kLanes lanes of a warp (a power of two) that share one row.
template <int kLanes>
struct LaneGroup {
  static constexpr int kThreadsMax = kWarpsPerBlock * kWarp, kBlocksMin = 1;
  static constexpr int kRows = kThreadsMax / kLanes;  // per block
  static constexpr bool kIsRagged = false;
  __device__ int lane() const { return int(threadIdx.x) % kLanes; }
  __device__ int size() const { return kLanes; }
  __device__ std::int64_t first_row() const {
    return std::int64_t(blockIdx.x) * kRows + threadIdx.x / kLanes;
  }
  __device__ std::int64_t row_stride() const { return std::int64_t(gridDim.x) * kRows; }
  template <class Reduction>
  __device__ float reduce(float value) const {
    return over_lanes<Reduction, kLanes>(value);
  }
};

/// A block of whole warps that takes one row. Only one in a kernel.
struct BlockGroup {
  static constexpr int kThreadsMax = 1024, kBlocksMin = 1;
  static constexpr bool kIsRagged = false;
  __device__ int lane() const { return int(threadIdx.x); }
  __device__ int size() const { return int(blockDim.x); }
  __device__ std::int64_t first_row() const { return blockIdx.x; }
  __device__ std::int64_t row_stride() const { return gridDim.x; }
  __device__ int warp() const { return int(threadIdx.x) / kWarp; }
  template <class Reduction>
  __device__ float reduce(float value) const {
    return over_warp<Reduction>(exchange(over_warp<Reduction>(value), Reduction::kNeutral));
  }
  /// The value of the warp with this lane's number, `neutral` if there is no such warp. One barrier
  /// is enough because exchanges alternate buffers: what one overwrites was read before the barrier
  /// of the one in between.
  template <class Value>
  __device__ Value exchange(Value of_this_warp, Value neutral = {}) const {
    __shared__ Value of_warp[2][kWarp];
    if (lane() % kWarp == 0) of_warp[turn][warp()] = of_this_warp;
    __syncthreads();
    const int other = lane() % kWarp;
    const Value value = other < size() / kWarp ? of_warp[turn][other] : neutral;
    turn ^= 1;
    return value;
  }
  mutable int turn = 0;
};

/// A BlockGroup of up to 512 threads. The compiler keeps room for three on a multiprocessor: 40
/// registers a thread. For bodies that need hardly more.
struct DenseBlockGroup : BlockGroup {
  static constexpr int kThreadsMax = 512, kBlocksMin = 3;
};

/// A group for matrices whose rows do not start at whole packs. It holds packs as they lie in
/// memory; the first and last pack are shared with the neighbouring rows. For bodies that declare
/// TakesRagged: they treat values beyond the row like those that RowValues::load fills in.
template <class Group>
struct Ragged : Group {
  static constexpr bool kIsRagged = true;
  int shift = 0;   // elements between the start of the first pack and of the row
  int behind = 0;  // elements after the row that may be read, at most a pack
};

}  // namespace plumbline::custom
