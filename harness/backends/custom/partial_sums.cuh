/// The last step of sums over many rows: blocks have already written one row of float32 sums each.
#pragma once

#include <cuda_runtime_api.h>

#include "backends/custom/launches.cuh"
#include "backends/custom/packs.cuh"

namespace plumbline::custom {

/// Rows of partial sums, and the address of their total.
template <class T>
struct PartialSums {
  const float* rows;
  T* out;
};

inline constexpr int kFinishCols = 32;  // per block

/// out[c] = the sum of rows[r, c] over r, in a fixed order: of `one` if blockIdx.y is 0, of `other`
/// if it is 1. Blocks have kFinishCols x kHigh threads.
template <int kHigh, class T>
__global__ void __launch_bounds__(kFinishCols* kHigh)
    finish_sums(PartialSums<T> one, PartialSums<T> other, std::int64_t rows, std::int64_t cols) {
  __shared__ float sums[kHigh][kFinishCols];
  const float* const partial = blockIdx.y == 0 ? one.rows : other.rows;
  const std::int64_t col = std::int64_t(blockIdx.x) * kFinishCols + threadIdx.x;
  float sum = 0;
  wait_for_kernel_before();
  if (col < cols)
#pragma unroll 8
    for (std::int64_t row = threadIdx.y; row < rows; row += kHigh) sum += partial[row * cols + col];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || col >= cols) return;
#pragma unroll
  for (int i = 1; i < kHigh; ++i) sum += sums[i][threadIdx.x];
  (blockIdx.y == 0 ? one.out : other.out)[col] = from_float<T>(sum);
}

/// Launches directly after the kernel that makes the rows. count: 1 for `one` only, or 2 for both.
template <int kHigh, class T>
void launch_finish(const PartialSums<T>& one, const PartialSums<T>& other, unsigned count,
                   std::int64_t rows, std::int64_t cols, cudaStream_t stream) {
  launch_dependent(finish_sums<kHigh, T>, dim3(unsigned(ceil_div(cols, kFinishCols)), count),
                   dim3(kFinishCols, kHigh), stream, one, other, rows, cols);
}

}  // namespace plumbline::custom
