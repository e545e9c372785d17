// Softmax of each row: a block for a row.
#include <cuda_fp16.h>

template <class T, int kThreads>
__global__ void softmax(const T* x, T* y, int cols) {
  __shared__ float shared[kThreads];
  const T* const row = x + static_cast<long long>(blockIdx.x) * cols;
  T* const out = y + static_cast<long long>(blockIdx.x) * cols;

  float most = -3.4e38f;
  for (int i = threadIdx.x; i < cols; i += kThreads) most = fmaxf(most, static_cast<float>(row[i]));
  shared[threadIdx.x] = most;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step)
      shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + step]);
    __syncthreads();
  }
  most = shared[0];
  __syncthreads();

  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += kThreads) sum += expf(static_cast<float>(row[i]) - most);
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  const float total = shared[0];
  for (int i = threadIdx.x; i < cols; i += kThreads)
    out[i] = static_cast<T>(expf(static_cast<float>(row[i]) - most) / total);
}
