#include "kernels.h"

namespace plumbline_spin {
namespace {

constexpr int kThreads = 32;

__global__ void spin(long long cycles, const char* token, char* result, long long bytes) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  for (long long i = threadIdx.x; i < bytes; i += kThreads) result[i] = token[i];
}

// Enough blocks to keep the memory of any GPU busy; all blocks do the same number of rounds.
constexpr int kCopyBlocks = 4096, kCopyThreads = 256;

__global__ void copy(const int4* from, int4* to, long long packs, long long with_extra) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < with_extra;
       i += stride) {
    const long long place = i < packs ? i : i - packs;
    to[place] = from[place];
  }
}

}  // namespace

void launch_spin(std::int64_t cycles, const void* token, void* result, std::int64_t bytes,
                 cudaStream_t stream) {
  spin<<<1, kThreads, 0, stream>>>(cycles, static_cast<const char*>(token),
                                   static_cast<char*>(result), bytes);
}

void launch_copy(const void* from, void* to, std::int64_t packs, std::int64_t extra_packs,
                 cudaStream_t stream) {
  copy<<<kCopyBlocks, kCopyThreads, 0, stream>>>(
      static_cast<const int4*>(from), static_cast<int4*>(to), packs, packs + extra_packs);
}

}  // namespace plumbline_spin
