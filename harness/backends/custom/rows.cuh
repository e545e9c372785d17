/// Rows that are read once: a warp or a block holds a row in registers, reduces over it, writes.
///
/// A Body is copied to the device and has
///   template <int kCount, int kFloats, class Group>
///   void row(std::int64_t row, int cols, const Group& group) const;
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
/// Groups of a warp need not come here together.
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

/// kLanes lanes of a warp, a power of two, that have a row for themselves.
template <int kLanes>
struct LaneGroup {
  static constexpr int kThreadsMax = kWarpsPerBlock * kWarp, kBlocksMin = 1;
  static constexpr int kRows = kThreadsMax / kLanes;  // of a block
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

/// A block that has a row for itself; of whole warps. One in a kernel.
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

/// A group for matrices whose rows do not begin at whole packs. It has the packs as they lie in
/// memory, the first and the last of which the row shares with its neighbours. For bodies that say
/// so (TakesRagged): they take values beyond the row for what RowValues::load made of them.
template <class Group>
struct Ragged : Group {
  static constexpr bool kIsRagged = true;
  int shift = 0;   // elements between the first pack's beginning and the row's
  int behind = 0;  // elements of the matrix behind the row that may be read, a pack's at most
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
  __device__ void load(const T* row, int cols, const Group& group, float beyond) {
    if constexpr (Group::kIsRagged) {
      take(read(row, cols, group), cols, group, beyond);
    } else {
      const T* const start = row + place(0, group);
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        if (place(p, group) < cols) {
          to_floats(custom::load<kCount>(start + p * step(group)), pack(p));
        } else {
#pragma unroll
          for (float& value : pack(p)) value = beyond;
        }
      }
    }
  }

  /// Two rows of the same place, all loads under way at once.
  template <class T, class Group>
  static __device__ void load_both(RowValues& one, const T* row, RowValues& other,
                                   const T* other_row, int cols, const Group& group, float beyond) {
    if constexpr (Group::kIsRagged) {
      const auto read_row = read(row, cols, group), read_other = read(other_row, cols, group);
      one.take(read_row, cols, group, beyond);
      other.take(read_other, cols, group, beyond);
    } else {
      one.load(row, cols, group, beyond);
      other.load(other_row, cols, group, beyond);
    }
  }

  template <class T, class Group>
  __device__ void store(T* row, int cols, const Group& group) {
    T* const start = row + place(0, group);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      T* const at = start + p * step(group);
      const unsigned in_row = elements_in_row<Group>(place(p, group), cols);
      if (in_row == kWhole) {
        custom::store<kCount>(at, from_floats<T>(pack(p)));
      } else if (Group::kIsRagged) {
#pragma unroll
        for (int i = 0; i < kCount; ++i)
          if ((in_row >> i & 1) != 0) at[i] = from_float<T>(pack(p)[i]);
      }
    }
  }

  /// Column of the first element of a pack.
  template <class Group>
  static __device__ int place(int p, const Group& group) {
    const int first = group.lane() * kCount + p * step(group);
    if constexpr (Group::kIsRagged)
      return first - group.shift;
    else
      return first;
  }

  /// Columns from one pack of a thread to the next.
  template <class Group>
  static __device__ int step(const Group& group) {
    return group.size() * kCount;
  }

  /// Calls each(values, column of the first) for the packs that lie in the row.
  template <class Group, class Each>
  __device__ void visit_packs(int cols, const Group& group, const Each& each) {
    static_assert(!Group::kIsRagged);
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      if (const int first = place(p, group); first < cols) each(pack(p), first);
  }

  /// Calls each(value, column) for the values that lie in the row.
  template <class Group, class Each>
  __device__ void visit(int cols, const Group& group, const Each& each) {
    visit_packs(cols, group, [&](float(&pack)[kCount], int first) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) each(pack[i], first + i);
    });
  }

  /// The sum of the squared distances of the values that lie in the row.
  template <class Group>
  __device__ float squares_about(float center, int cols, const Group& group) {
    float squares = 0;
    visit(cols, group, [&](float value, int) { squares += (value - center) * (value - center); });
    return squares;
  }

  /// How many elements of the row a warp of the group has; 0 where there is no such warp.
  template <class Group>
  static __device__ float elements_in(int warp, int cols, const Group& group) {
    constexpr int kOfWarp = kWarp * kCount;
    if (warp * kWarp >= group.size()) return 0;
    int count = 0;
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      count += min(max(cols - (p * group.size() + warp * kWarp) * kCount, 0), kOfWarp);
    return float(count);
  }

  template <class Reduction>
  __device__ float reduced() const {
    float result = values[0];
#pragma unroll
    for (int i = 1; i < kFloats; ++i) result = Reduction()(result, values[i]);
    return result;
  }

 private:
  static constexpr unsigned kWhole = (1u << kCount) - 1;

  /// Of the pack at a column a bit for each element that is the row's.
  template <class Group>
  static __device__ unsigned elements_in_row(int first, int cols) {
    if constexpr (!Group::kIsRagged)
      return first < cols ? kWhole : 0;
    else
      return kWhole >> min(max(first + kCount - cols, 0), kCount) & kWhole << max(-first, 0);
  }

  /// Of a ragged row, as it is in memory. All is read before the first is converted: no load is
  /// moved ahead of what waits for another, as branches lie between them.
  template <class T>
  struct Read {
    Pack<T, kCount> packs[kPacks];
  };
  template <class T, class Group>
  static __device__ Read<T> read(const T* row, int cols, const Group& group) {
    Read<T> row_read;
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      row_read.packs[p] = shared_pack(row, place(p, group), cols, group);
    return row_read;
  }
  template <class T, class Group>
  __device__ void take(const Read<T>& row_read, int cols, const Group& group, float beyond) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      to_floats(row_read.packs[p], pack(p));
      const unsigned in_row = elements_in_row<Group>(place(p, group), cols);
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        if ((in_row >> i & 1) == 0) pack(p)[i] = beyond;
    }
  }

  /// The pack at a column, with what it has of the rows beside this one.
  template <class T, class Group>
  static __device__ Pack<T, kCount> shared_pack(const T* row, int first, int cols,
                                                const Group& group) {
    static_assert(sizeof(Pack<T, kCount>) == sizeof(uint4));
    // In whole words: to join elements one by one, a load would be waited for on the spot.
    alignas(uint4) unsigned words[4] = {};
    if (first < cols) {
      if (first + kCount <= cols + group.behind) {
        reinterpret_cast<uint4&>(words) = *reinterpret_cast<const uint4*>(row + first);
      } else {
#pragma unroll
        for (int i = 0; i < kCount; ++i)
          if (first + i >= 0 && first + i < cols)
            words[i * sizeof(T) / 4] |= bits_of(row[first + i]) << i * sizeof(T) % 4 * 8;
      }
    }
    return reinterpret_cast<const Pack<T, kCount>&>(words);
  }

  template <class T>
  static __device__ unsigned bits_of(T value) {
    if constexpr (sizeof(T) == 4)
      return __float_as_uint(value);
    else
      return reinterpret_cast<const std::uint16_t&>(value);
  }
};

template <class Group, int kCount, int kFloats, class Body>
__global__ void __launch_bounds__(Group::kThreadsMax, Group::kBlocksMin)
    each_row(std::int64_t rows, std::int64_t cols, Body body) {
  Group group;
  for (std::int64_t row = group.first_row(); row < rows; row += group.row_stride()) {
    if constexpr (Group::kIsRagged) {
      group.shift = int(row * cols % kCount);
      group.behind = int(min((rows - 1 - row) * cols, std::int64_t{kCount}));
    }
    body.template row<kCount, kFloats>(row, int(cols), group);
  }
}

/// How rows of a length are shared out: by the number of values in a thread. Where a block has a
/// row, threads with fewer than four accesses under way leave bandwidth unused (H200).
struct RowShape {
  int lanes = 0;  // of a warp, that have a row; 0: a block has it
  int floats = 8;
  int threads = kWarpsPerBlock * kWarp;
};

inline RowShape row_shape(std::int64_t cols, std::int64_t with_8_up_to = 4096,
                          std::int64_t with_16_up_to = 16384) {
  RowShape shape;
  if (cols <= 32 * kWarp) {
    shape.lanes = cols <= 8 * 8 ? 8 : cols <= 16 * 16 ? 16 : kWarp;
    shape.floats = cols <= 16 * 8 ? 8 : cols <= 16 * kWarp ? 16 : 32;
    return shape;
  }
  shape.floats = cols <= with_8_up_to ? 8 : cols <= with_16_up_to ? 16 : 32;
  shape.threads = int(ceil_div(ceil_div(cols, shape.floats), kWarp)) * kWarp;
  return shape;
}

/// Calls launch(group, count, floats) with the constants' types. Block: the group where a block has
/// a row; Form<Group>: the group that is taken for it.
template <class Block, template <class> class Form, int kCount, class Launch>
void by_row_shape(const RowShape& shape, const Launch& launch) {
  using Count = std::integral_constant<int, kCount>;
  constexpr auto k8 = std::integral_constant<int, 8>{};
  constexpr auto k16 = std::integral_constant<int, 16>{};
  const auto with_floats = [&](auto group) {
    if (shape.floats == 8) return launch(group, Count{}, k8);
    if (shape.floats == 16) return launch(group, Count{}, k16);
    launch(group, Count{}, std::integral_constant<int, 32>{});
  };
  if (shape.lanes == 8) return launch(Form<LaneGroup<8>>{}, Count{}, k8);
  if (shape.lanes == 16 && shape.floats == 8) return launch(Form<LaneGroup<16>>{}, Count{}, k8);
  if (shape.lanes == 16) return launch(Form<LaneGroup<16>>{}, Count{}, k16);
  if (shape.lanes == kWarp) return with_floats(Form<LaneGroup<kWarp>>{});
  with_floats(Form<Block>{});
}

template <class Group>
using Even = Group;

/// The same with the width of an access that rows of T allow; with packs in any case where the
/// groups may be ragged.
template <class T, class Block, bool kTakesRagged, class Launch>
void by_row_form(const RowShape& shape, std::int64_t cols, const Launch& launch) {
  if (cols % kPackOf<T> == 0)
    by_row_shape<Block, Even, kPackOf<T>>(shape, launch);
  else if constexpr (kTakesRagged)
    by_row_shape<Block, Ragged, kPackOf<T>>(shape, launch);
  else
    by_row_shape<Block, Even, 1>(shape, launch);
}

inline std::int64_t row_blocks(const RowShape& shape, std::int64_t rows) {
  return shape.lanes > 0 ? ceil_div(rows, shape.threads / shape.lanes) : rows;
}

template <class T, class Block = BlockGroup, class Body>
void launch_each_row(std::int64_t rows, std::int64_t cols, const RowShape& shape, const Body& body,
                     cudaStream_t stream) {
  by_row_form < T, Block, requires { typename Body::TakesRagged; }
  > (shape, cols, [&](auto group, auto count, auto floats) {
    each_row<decltype(group), count(), floats()>
        <<<unsigned(row_blocks(shape, rows)), unsigned(shape.threads), 0, stream>>>(rows, cols,
                                                                                    body);
  });
}

/// Elements of the packs in which a row can lie: of a ragged one with a part of the first and of
/// the last.
template <class T>
std::int64_t room_of(std::int64_t cols) {
  return cols % kPackOf<T> == 0 ? cols : ceil_div(cols + kPackOf<T> - 1, kPackOf<T>) * kPackOf<T>;
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
