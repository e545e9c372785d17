/// Rows that are read once: a warp or a block holds a row in registers, reduces over it, writes.
///
/// A Body is copied to the device and has
///   template <int kCount, int kFloats, class Group>
///   void row(std::int64_t row, std::int64_t cols, const Group& group) const;
/// run by all threads of the group, kFloats values in each; accesses are kCount elements wide.
#pragma once

#include <cuda_runtime_api.h>

#include <cfloat>
#include <string>
#include <type_traits>

#include "backends/custom/packs.cuh"
#include "core/row_limits.h"

namespace plumbline::custom {

inline constexpr int kWarp = 32;
inline constexpr int kWarpsPerBlock = 4;  // where a warp has a row
inline constexpr std::int64_t kRowMax = kCustomRowMax;

struct Sum {
  static constexpr float kNeutral = 0;
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Maximum {
  static constexpr float kNeutral = -FLT_MAX;
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

/// Over groups of kLanes lanes that follow each other, a power of two; each lane gets its group's.
template <class Reduction, int kLanes>
__device__ float over_lanes(float value) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    value = Reduction()(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}
template <class Reduction>
__device__ float over_warp(float value) {
  return over_lanes<Reduction, kWarp>(value);
}

/// A warp that has a row for itself.
struct WarpGroup {
  static constexpr int kThreadsMax = kWarpsPerBlock * kWarp, kBlocksMin = 1;
  __device__ int lane() const { return int(threadIdx.x) % kWarp; }
  __device__ int size() const { return kWarp; }
  __device__ std::int64_t first_row() const {
    return std::int64_t(blockIdx.x) * kWarpsPerBlock + threadIdx.x / kWarp;
  }
  __device__ std::int64_t row_stride() const { return std::int64_t(gridDim.x) * kWarpsPerBlock; }
  template <class Reduction>
  __device__ float reduce(float value) const {
    return over_warp<Reduction>(value);
  }
};

/// A block that has a row for itself; of whole warps. One in a kernel.
struct BlockGroup {
  static constexpr int kThreadsMax = 1024, kBlocksMin = 1;
  __device__ int lane() const { return int(threadIdx.x); }
  __device__ int size() const { return int(blockDim.x); }
  __device__ std::int64_t first_row() const { return blockIdx.x; }
  __device__ std::int64_t row_stride() const { return gridDim.x; }
  __device__ int warp() const { return int(threadIdx.x) / kWarp; }
  template <class Reduction>
  __device__ float reduce(float value) const {
    return over_warp<Reduction>(exchange(over_warp<Reduction>(value), Reduction::kNeutral));
  }
  /// What the warp of this lane's number gave, `neutral` where there is no such warp. One barrier
  /// is enough because exchanges take turns: what one overwrites was read before the barrier of the
  /// one in between.
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

/// The same of up to 512 threads, of which the compiler makes room for three on a multiprocessor:
/// 40 registers a thread. For bodies that need hardly more.
struct DenseBlockGroup : BlockGroup {
  static constexpr int kThreadsMax = 512, kBlocksMin = 3;
};

/// What a thread holds of a row: packs at lane, lane + size, …
template <int kCount, int kFloats>
struct RowValues {
  static constexpr int kPacks = kFloats / kCount;
  float values[kFloats];

  __device__ float (&pack(int p))[kCount] {
    return reinterpret_cast<float(&)[kCount]>(values[p * kCount]);
  }

  /// Elements beyond the row are `beyond`.
  template <class T, class Group>
  __device__ void load(const T* row, std::int64_t cols, const Group& group, float beyond) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const std::int64_t first = place(p, group);
      if (first < cols) {
        to_floats(custom::load<kCount>(row + first), pack(p));
      } else {
#pragma unroll
        for (float& value : pack(p)) value = beyond;
      }
    }
  }

  template <class T, class Group>
  __device__ void store(T* row, std::int64_t cols, const Group& group) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const std::int64_t first = place(p, group);
      if (first < cols) custom::store<kCount>(row + first, from_floats<T>(pack(p)));
    }
  }

  /// Column of the first element of a pack.
  template <class Group>
  static __device__ std::int64_t place(int p, const Group& group) {
    return (std::int64_t(p) * group.size() + group.lane()) * kCount;
  }

  /// Calls each(values, column of the first) for the packs that lie in the row.
  template <class Group, class Each>
  __device__ void visit_packs(std::int64_t cols, const Group& group, const Each& each) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      if (const std::int64_t first = place(p, group); first < cols) each(pack(p), first);
  }

  /// Calls each(value, column) for the values that lie in the row.
  template <class Group, class Each>
  __device__ void visit(std::int64_t cols, const Group& group, const Each& each) {
    visit_packs(cols, group, [&](float(&pack)[kCount], std::int64_t first) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) each(pack[i], first + i);
    });
  }

  /// The sum of the squared distances of the values that lie in the row.
  template <class Group>
  __device__ float squares_about(float center, std::int64_t cols, const Group& group) {
    float squares = 0;
    visit(cols, group,
          [&](float value, std::int64_t) { squares += (value - center) * (value - center); });
    return squares;
  }

  /// How many elements of the row a warp of the group has; 0 where there is no such warp.
  template <class Group>
  static __device__ float elements_in(int warp, std::int64_t cols, const Group& group) {
    constexpr int kOfWarp = kWarp * kCount;
    if (warp * kWarp >= group.size()) return 0;
    int count = 0;
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      count += min(max(int(cols) - (p * group.size() + warp * kWarp) * kCount, 0), kOfWarp);
    return float(count);
  }

  template <class Reduction>
  __device__ float reduced() const {
    float result = values[0];
#pragma unroll
    for (int i = 1; i < kFloats; ++i) result = Reduction()(result, values[i]);
    return result;
  }
};

template <class Group, int kCount, int kFloats, class Body>
__global__ void __launch_bounds__(Group::kThreadsMax, Group::kBlocksMin)
    each_row(std::int64_t rows, std::int64_t cols, Body body) {
  const Group group;
  for (std::int64_t row = group.first_row(); row < rows; row += group.row_stride())
    body.template row<kCount, kFloats>(row, cols, group);
}

/// How rows of a length are shared out: by the number of values in a thread. Where a block has a
/// row, threads with fewer than four accesses under way leave bandwidth unused (H200).
struct RowShape {
  bool has_warps = false;  // a warp a row, else a block
  int floats = 8;
  int threads = kWarpsPerBlock * kWarp;
};

inline RowShape row_shape(std::int64_t cols, std::int64_t with_8_up_to = 4096,
                          std::int64_t with_16_up_to = 16384) {
  RowShape shape;
  shape.has_warps = cols <= 32 * kWarp;
  if (shape.has_warps) {
    shape.floats = cols <= 8 * kWarp ? 8 : cols <= 16 * kWarp ? 16 : 32;
    return shape;
  }
  shape.floats = cols <= with_8_up_to ? 8 : cols <= with_16_up_to ? 16 : 32;
  shape.threads = int(ceil_div(ceil_div(cols, shape.floats), kWarp)) * kWarp;
  return shape;
}

/// Calls launch(group, count, floats) with the constants' types. Block: the group where a block has
/// a row.
template <class Block, int kCount, class Launch>
void by_row_shape(const RowShape& shape, const Launch& launch) {
  const auto with_floats = [&](auto group) {
    using Count = std::integral_constant<int, kCount>;
    if (shape.floats == 8) return launch(group, Count{}, std::integral_constant<int, 8>{});
    if (shape.floats == 16) return launch(group, Count{}, std::integral_constant<int, 16>{});
    launch(group, Count{}, std::integral_constant<int, 32>{});
  };
  if (shape.has_warps)
    with_floats(WarpGroup{});
  else
    with_floats(Block{});
}

/// The same with the width of an access that rows of T allow.
template <class T, class Block, class Launch>
void by_row_form(const RowShape& shape, std::int64_t cols, const Launch& launch) {
  if (cols % kPackOf<T> == 0)
    by_row_shape<Block, kPackOf<T>>(shape, launch);
  else
    by_row_shape<Block, 1>(shape, launch);
}

inline std::int64_t row_blocks(const RowShape& shape, std::int64_t rows) {
  return shape.has_warps ? ceil_div(rows, kWarpsPerBlock) : rows;
}

template <class T, class Block = BlockGroup, class Body>
void launch_each_row(std::int64_t rows, std::int64_t cols, const RowShape& shape, const Body& body,
                     cudaStream_t stream) {
  by_row_form<T, Block>(shape, cols, [&](auto group, auto count, auto floats) {
    each_row<decltype(group), count(), floats()>
        <<<unsigned(row_blocks(shape, rows)), unsigned(shape.threads), 0, stream>>>(rows, cols,
                                                                                    body);
  });
}

/// Whether a pack is more than four elements.
template <class T>
bool has_wide_packs(std::int64_t cols) {
  return sizeof(T) < 4 && cols % kPackOf<T> == 0;
}

template <class T>
RowShape row_shape_of(std::int64_t cols) {
  return has_wide_packs<T>(cols) ? row_shape(cols, 0, 0) : row_shape(cols);
}

template <class T, class Body>
void launch_each_row(std::int64_t rows, std::int64_t cols, const Body& body, cudaStream_t stream) {
  launch_each_row<T>(rows, cols, row_shape_of<T>(cols), body, stream);
}

}  // namespace plumbline::custom
