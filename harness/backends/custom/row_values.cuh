/// A row in the registers of a group's threads, as float32.
#pragma once

#include "backends/custom/packs.cuh"
#include "backends/custom/row_groups.cuh"

namespace plumbline::custom {

/// A thread's part of a row: packs at lane, lane + size, …
template <int kCount, int kFloats>
struct RowValues {
  static constexpr int kPacks = kFloats / kCount;
  float values[kFloats];

  __device__ float (&pack(int p))[kCount] {
    return reinterpret_cast<float(&)[kCount]>(values[p * kCount]);
  }

  /// Elements beyond the row get the value `beyond`.
  template <class T, class Group>
  __device__ void load(const T* row, int cols, const Group& group, float beyond) {
    if constexpr (Group::kIsRagged) {
      take(read(row, cols, group), cols, group, beyond);
    } else {
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        if (const std::int64_t first = wide_place(p, group); first < cols) {
          to_floats(custom::load<kCount>(row + first), pack(p));
        } else {
#pragma unroll
          for (float& value : pack(p)) value = beyond;
        }
      }
    }
  }

  /// The same place of two rows, with all loads in flight at once.
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

  /// The same for even rows with 64-bit columns. With 32-bit columns the compiler makes branches in
  /// the kernels of whole blocks, and waits after each branch for the load (machine code: BSSY).
  template <class Group>
  static __device__ std::int64_t wide_place(int p, const Group& group) {
    return (std::int64_t(p) * group.size() + group.lane()) * kCount;
  }

  /// Columns from one pack of a thread to the next.
  template <class Group>
  static __device__ int step(const Group& group) {
    return group.size() * kCount;
  }

  /// Calls each(values, column of the first value) for the packs that lie in the row.
  template <class Group, class Each>
  __device__ void visit_packs(int cols, const Group& group, const Each& each) {
    static_assert(!Group::kIsRagged);
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      if (const int first = place(p, group); first < cols) each(pack(p), first);
  }

  /// The sum of squared distances of the values that lie in the row.
  template <class Group>
  __device__ float squares_about(float center, int cols, const Group& group) {
    float squares = 0;
    visit_packs(cols, group, [&](float(&pack)[kCount], int) {
#pragma unroll
      for (const float value : pack) squares += (value - center) * (value - center);
    });
    return squares;
  }

  /// How many elements of the row a warp of the group has; 0 if there is no such warp.
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

  /// A bit for each element of the pack at a column: set if it belongs to the row.
  template <class Group>
  static __device__ unsigned elements_in_row(int first, int cols) {
    if constexpr (!Group::kIsRagged)
      return first < cols ? kWhole : 0;
    else
      return kWhole >> min(max(first + kCount - cols, 0), kCount) & kWhole << max(-first, 0);
  }

  /// Loads a ragged row as it is in memory. All packs are read before the first is converted: the
  /// compiler moves no load ahead of a wait for another, because branches lie between them.
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

  /// The pack at a column, including its elements of the neighbouring rows.
  template <class T, class Group>
  static __device__ Pack<T, kCount> shared_pack(const T* row, int first, int cols,
                                                const Group& group) {
    static_assert(sizeof(Pack<T, kCount>) == sizeof(uint4));
    // Joins whole words: joining single elements would wait for each load at once.
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

}  // namespace plumbline::custom
