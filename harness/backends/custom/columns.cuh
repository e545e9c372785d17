/// Sums over the rows of a matrix, column by column, of what a kernel makes of each element.
///
/// Two steps: blocks sum some rows each into a row of float32 partial sums, then the partial sums
/// are summed in a fixed order, so that the result is the same in every launch.
///
/// A Body is copied to the device and has
///   template <int kCount> auto load(std::int64_t row, std::int64_t col) const;
///   template <int kCount> void add(const Loaded&, std::int64_t row, std::int64_t col,
///                                  float (&sums)[kCount]) const;
/// kRows rows are loaded before the first of them is added: no load is moved ahead of what `add`
/// stores.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>

#include "backends/custom/packs.cuh"

namespace plumbline::custom {

inline constexpr int kColumnThreads = 128;
/// Blocks that a large GPU holds at once: as many of each multiprocessor, of 132.
inline constexpr int kColumnBlocksPerMultiprocessor = 8;
inline constexpr std::int64_t kColumnBlocks = 132 * kColumnBlocksPerMultiprocessor;
inline constexpr std::int64_t kRowsMin = 16;  // of a block

/// Rows of partial sums that a matrix is summed into.
inline std::int64_t partial_rows(std::int64_t rows, std::int64_t cols, int count) {
  const std::int64_t across = ceil_div(cols, std::int64_t(kColumnThreads) * count);
  return std::clamp<std::int64_t>(kColumnBlocks / across, 1, ceil_div(rows, kRowsMin));
}

template <int kCount, int kRows, class Body>
__global__ void __launch_bounds__(kColumnThreads, kColumnBlocksPerMultiprocessor)
    each_column(std::int64_t rows, std::int64_t cols, Body body, float* partial) {
  const std::int64_t col = (std::int64_t(blockIdx.x) * kColumnThreads + threadIdx.x) * kCount;
  if (col >= cols) return;
  float sums[kCount] = {};
  const std::int64_t step = gridDim.y;
  for (std::int64_t first = blockIdx.y; first < rows; first += kRows * step) {
    decltype(body.template load<kCount>(0, 0)) loaded[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r)  // no branch holds loads up: the last row more than once
      loaded[r] = body.template load<kCount>(min(first + r * step, rows - 1), col);
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (const std::int64_t row = first + r * step; row < rows)
        body.template add<kCount>(loaded[r], row, col, sums);
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) partial[blockIdx.y * cols + col + i] = sums[i];
}

inline constexpr int kFinishRows = 8;

/// out[c] = the sum of partial[r, c] over r; blocks of 32 x kFinishRows threads.
template <class T>
__global__ void sum_partials(const float* partial, std::int64_t rows, std::int64_t cols, T* out) {
  __shared__ float sums[kFinishRows][33];
  const std::int64_t col = std::int64_t(blockIdx.x) * 32 + threadIdx.x;
  float sum = 0;
  if (col < cols)
    for (std::int64_t row = threadIdx.y; row < rows; row += kFinishRows)
      sum += partial[row * cols + col];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || col >= cols) return;
#pragma unroll
  for (int i = 1; i < kFinishRows; ++i) sum += sums[i][threadIdx.x];
  out[col] = from_float<T>(sum);
}

template <class T>
void launch_sum_partials(const float* partial, std::int64_t rows, std::int64_t cols, T* out,
                         cudaStream_t stream) {
  sum_partials<<<unsigned(ceil_div(cols, 32)), dim3(32, kFinishRows), 0, stream>>>(partial, rows,
                                                                                   cols, out);
}

/// `partial`: partial_rows(rows, cols, 1) rows at least.
template <int kRows, class T, class Body>
void launch_each_column(std::int64_t rows, std::int64_t cols, const Body& body, float* partial,
                        T* out, cudaStream_t stream) {
  const auto launch = [&](auto count) {
    const std::int64_t parts = partial_rows(rows, cols, count());
    const dim3 grid(unsigned(ceil_div(cols, std::int64_t(kColumnThreads) * count())),
                    unsigned(parts));
    each_column<count(), kRows><<<grid, kColumnThreads, 0, stream>>>(rows, cols, body, partial);
    launch_sum_partials(partial, parts, cols, out, stream);
  };
  if (cols % kPackOf<T> == 0)
    launch(std::integral_constant<int, kPackOf<T>>{});
  else
    launch(std::integral_constant<int, 1>{});
}

/// Rows of partial sums to have room for, whatever the width of an access.
inline std::int64_t partial_rows_max(std::int64_t rows, std::int64_t cols) {
  return std::max(partial_rows(rows, cols, 1), partial_rows(rows, cols, 8));
}

}  // namespace plumbline::custom
