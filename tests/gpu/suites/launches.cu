// Kernels that are right only if they are launched as they ask for.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 256;

/// Each block gets the elements of the other block of its cluster.
__global__ void swap_blocks(const float* x, float* y) {
  __shared__ float own[kThreads];
  const cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  own[threadIdx.x] = x[i];
  cluster.sync();
  y[i] = cluster.map_shared_rank(own, cluster.block_rank() ^ 1)[threadIdx.x];
  cluster.sync();  // the other block still reads
}

/// y = x - sum(x): all blocks wait for the sums of all.
__global__ void without_sum(const float* x, float* y, double* sums, int n) {
  __shared__ double parts[kThreads];
  double part = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) part += x[i];
  parts[threadIdx.x] = part;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = parts[0];
  cg::this_grid().sync();
  double sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += sums[i];
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    y[i] = float(x[i] - sum);
}

/// y = 2 x, begun before the launch ahead of it ends.
__global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (i < n) y[i] = 2 * x[i];
  asm volatile("griddepcontrol.launch_dependents;");
}
