/// Sums over the rows of a matrix, column by column, of a value that a kernel computes for each
/// element.
///
/// Two steps: blocks first sum some rows each into a row of float32 partial sums. Then the partial
/// sums are summed in a fixed order, so that every launch gives the same result. If there are
/// enough columns, a block takes all rows of its strip and the second step is not needed.
///
/// A Body is copied to the device and has
///   template <int kCount> auto load(std::int64_t row, std::int64_t col) const;
///   template <int kCount> void add(const Loaded&, std::int64_t row, std::int64_t col,
///                                  float (&sums)[kCount]) const;
/// kRows rows are loaded before the first one is added, because the compiler moves no load ahead of
/// what `add` stores.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>

#include "backends/custom/packs.cuh"
#include "backends/custom/partial_sums.cuh"

namespace plumbline::custom {

inline constexpr int kColumnThreads = 512;
/// Blocks that a large GPU (132 multiprocessors) holds at once, per multiprocessor.
inline constexpr int kColumnBlocksPerMultiprocessor = 2;
inline constexpr std::int64_t kColumnBlocks = 132 * kColumnBlocksPerMultiprocessor;

/// How a matrix is divided among blocks of kColumnThreads. `wide` packs (a power of two) lie side
/// by side, one thread for each; the block's other threads take further rows. There are `strips`
/// strips side by side. The rows of a strip are divided among `parts` blocks, each of which writes
/// a row of partial sums.
struct ColumnShape {
  unsigned wide, strips, parts;
};

/// For narrow matrices, narrower strips make more blocks, down to a width of 128 bytes or the
/// matrix's own width. If the strips alone are enough for all blocks, they are up to as wide as a
/// block, so that its threads have fewer sums to share.
inline ColumnShape column_shape(std::int64_t rows, std::int64_t cols, int count) {
  const auto packs = std::uint64_t(ceil_div(cols, count));
  const std::uint64_t least = std::min<std::uint64_t>(8, std::bit_ceil(packs));
  const std::uint64_t enough = std::bit_floor(packs / kColumnBlocks);  // for one block per strip
  const std::uint64_t wide =
      std::max(std::clamp<std::uint64_t>(std::bit_floor(packs) / 16, least, 32),
               std::min<std::uint64_t>(enough, kColumnThreads));
  const std::int64_t strips = ceil_div(std::int64_t(packs), std::int64_t(wide));
  const std::int64_t rows_at_once = kColumnThreads / std::int64_t(wide);
  const std::int64_t parts =
      std::clamp<std::int64_t>(kColumnBlocks / strips, 1, ceil_div(rows, rows_at_once));
  return {unsigned(wide), unsigned(strips), unsigned(parts)};
}

/// Rows of partial sums that are summed at once; there are few rows.
inline constexpr int kFinishRows = 8;

/// Writes to `out` if a block has all rows of its strip, else to `partial`.
template <int kCount, int kRows, class T, class Body>
__global__ void __launch_bounds__(kColumnThreads, kColumnBlocksPerMultiprocessor)
    each_column(std::int64_t rows, std::int64_t cols, Body body, float* partial, T* out) {
  __shared__ float of_threads[kColumnThreads * kCount];
  const std::int64_t first_col = std::int64_t(blockIdx.x) * blockDim.x * kCount;
  const std::int64_t col = first_col + threadIdx.x * kCount;
  float sums[kCount] = {};
  if (col < cols) {
    const std::int64_t step = std::int64_t(gridDim.y) * blockDim.y;
    for (std::int64_t first = std::int64_t(blockIdx.y) * blockDim.y + threadIdx.y; first < rows;
         first += kRows * step) {
      decltype(body.template load<kCount>(0, 0)) loaded[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r)  // without a branch that delays loads: repeats the last row
        loaded[r] = body.template load<kCount>(min(first + r * step, rows - 1), col);
#pragma unroll
      for (int r = 0; r < kRows; ++r)
        if (const std::int64_t row = first + r * step; row < rows)
          body.template add<kCount>(loaded[r], row, col, sums);
    }
  }
  const int width = int(blockDim.x) * kCount, thread = int(threadIdx.y * blockDim.x + threadIdx.x);
#pragma unroll
  for (int i = 0; i < kCount; ++i) of_threads[thread * kCount + i] = sums[i];
  for (int half = int(blockDim.y) / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int i = thread; i < half * width; i += kColumnThreads)
      of_threads[i] += of_threads[i + half * width];
  }
  __syncthreads();
  for (int i = thread; i < width && first_col + i < cols; i += kColumnThreads)
    if (gridDim.y == 1)
      out[first_col + i] = from_float<T>(of_threads[i]);
    else
      partial[blockIdx.y * cols + first_col + i] = of_threads[i];
}

/// `partial` has room for partial_rows_max(rows, cols) rows.
template <int kRows, class T, class Body>
void launch_each_column(std::int64_t rows, std::int64_t cols, const Body& body, float* partial,
                        T* out, cudaStream_t stream) {
  const auto launch = [&](auto count) {
    const ColumnShape shape = column_shape(rows, cols, count());
    const dim3 grid(shape.strips, shape.parts);
    const dim3 threads(shape.wide, kColumnThreads / shape.wide);
    each_column<count(), kRows><<<grid, threads, 0, stream>>>(rows, cols, body, partial, out);
    if (shape.parts == 1) return;
    const PartialSums<T> sums{partial, out};
    launch_finish<kFinishRows>(sums, sums, 1, shape.parts, cols, stream);
  };
  if (cols % kPackOf<T> == 0)
    launch(std::integral_constant<int, kPackOf<T>>{});
  else
    launch(std::integral_constant<int, 1>{});
}

/// The most rows of partial sums, for any access width.
inline std::int64_t partial_rows_max(std::int64_t rows, std::int64_t cols) {
  std::int64_t most = 0;
  for (const int count : {1, 4, 8})
    most = std::max<std::int64_t>(most, column_shape(rows, cols, count).parts);
  return most;
}

}  // namespace plumbline::custom
