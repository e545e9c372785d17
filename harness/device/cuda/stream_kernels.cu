#include "device/cuda/kernels.h"
#include "device/cuda/stream_kernels.h"

namespace plumbline::cuda {
namespace {

constexpr int kLoadThreads = 1024;
/// So many accumulators need 64 registers a thread: 1,024 such threads take all registers of a
/// multiprocessor, so that no block of another kernel fits beside the load.
constexpr int kAccumulators = 48;
/// Rounds of arithmetic between two clock readings: some microseconds.
constexpr int kRounds = 64;
/// Time between two reads of host memory. Blocks that read all the time keep busy the bus on which
/// the GPU fetches its commands: beside 66 of them a launch of 4.4 us took 0.5 ms.
constexpr std::uint64_t kLookEvery_ns = 100'000;

__device__ std::uint64_t load_clock_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void __launch_bounds__(kLoadThreads, 1)
    load_kernel(LoadState* state, std::uint64_t block_ns) {
  extern __shared__ float scratch[];
  __shared__ int is_over;
  const std::uint64_t begin = load_clock_ns();
  std::uint64_t next_look = begin;
  if (threadIdx.x == 0) state->started[blockIdx.x % LoadState::kBlocksMax] = 1;
  float sums[kAccumulators];
#pragma unroll
  for (int i = 0; i < kAccumulators; ++i) sums[i] = float(threadIdx.x + i);
  do {
    if (threadIdx.x == 0) {
      const std::uint64_t now = load_clock_ns();
      is_over = now - begin > block_ns;
      if (now >= next_look) {
        is_over |= int(state->released != 0);
        next_look = now + kLookEvery_ns;
      }
    }
    __syncthreads();
    for (int round = 0; round < kRounds; ++round)
#pragma unroll
      for (int i = 0; i < kAccumulators; ++i)
        sums[i] = fmaf(sums[i], 0.999f, sums[(i + 1) % kAccumulators]);
    const bool ends = is_over != 0;
    __syncthreads();
    if (ends) break;
  } while (true);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kAccumulators; ++i) sum += sums[i];
  if (sum == 0.12345f)
    scratch[threadIdx.x] = sum;  // keeps the compiler from removing the
                                 // arithmetic
}

}  // namespace

std::size_t prepare_load(int ordinal) {
  int available = 0;
  check(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal),
        "cudaDeviceGetAttribute");
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, load_kernel), "cudaFuncGetAttributes of the load");
  const int bytes = available - int(attributes.sharedSizeBytes);
  check(cudaFuncSetAttribute(load_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute of the load");
  return std::size_t(bytes);
}

void launch_load(LoadState* state, int blocks, std::size_t shared_bytes, std::uint64_t block_ns,
                 cudaStream_t stream) {
  load_kernel<<<unsigned(blocks), kLoadThreads, shared_bytes, stream>>>(state, block_ns);
  check(cudaGetLastError(), "launch of the background load");
}

}  // namespace plumbline::cuda
