// y = transposed x, by tiles that a block reads row-wise into shared memory and writes
// column-wise. One element of padding a row keeps a warp's column in different banks.
//
// The block is TILE threads wide and `blockDim.y` high: each thread moves TILE / blockDim.y
// elements.
#include "numbers.cuh"

extern __shared__ unsigned char shared[];

template <class T>
__global__ void transpose(const T* __restrict__ x, T* __restrict__ y, int rows, int cols) {
  T* const tile = reinterpret_cast<T*>(shared);
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE;
  for (int i = threadIdx.y; i < TILE; i += blockDim.y)
    if (row + i < rows && col < cols)
      tile[i * (TILE + 1) + threadIdx.x] = x[static_cast<long long>(row + i) * cols + col];
  __syncthreads();
  const int out_row = blockIdx.x * TILE;
  const int out_col = blockIdx.y * TILE + threadIdx.x;
  for (int i = threadIdx.y; i < TILE; i += blockDim.y)
    if (out_row + i < cols && out_col < rows)
      y[static_cast<long long>(out_row + i) * rows + out_col] = tile[threadIdx.x * (TILE + 1) + i];
}
