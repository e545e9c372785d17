/// Rows that are read once: lanes of a warp or a block hold a row in registers, reduce over it and
/// write.
///
/// A Body is copied to the device and has
///   template <int kCount, int kFloats, class Group>
///   void row(std::int64_t row, int cols, const Group& group) const;
/// run by all threads of the group, with kFloats values in each; accesses are kCount elements wide.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <type_traits>

#include "backends/custom/row_values.cuh"
#include "core/run/row_limits.h"

namespace plumbline::custom {

inline constexpr std::int64_t kRowMax = kCustomRowMax;

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

/// How rows of a length are divided, by the number of values in a thread. If a block takes a row,
/// threads with fewer than four accesses in flight leave bandwidth unused (H200).
struct RowShape {
  int lanes = 0;  // lanes of a warp that share a row; 0: a block takes a row
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

/// Calls launch(group, count, floats) with the constants' types. Block: the group if a block takes
/// a row; Form<Group>: the group that is used in its place.
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

/// The same with the access width that rows of T allow; always with packs if groups may be ragged.
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
  constexpr bool kTakesRagged = requires { typename Body::TakesRagged; };
  by_row_form<T, Block, kTakesRagged>(shape, cols, [&](auto group, auto count, auto floats) {
    each_row<decltype(group), count(), floats()>
        <<<unsigned(row_blocks(shape, rows)), unsigned(shape.threads), 0, stream>>>(rows, cols,
                                                                                    body);
  });
}

/// Elements of the packs that a row covers; a ragged row covers parts of the first and last pack.
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
