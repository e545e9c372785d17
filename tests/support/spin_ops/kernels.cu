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

}  // namespace

void launch_spin(std::int64_t cycles, const void* token, void* result, std::int64_t bytes,
                 cudaStream_t stream) {
  spin<<<1, kThreads, 0, stream>>>(cycles, static_cast<const char*>(token),
                                   static_cast<char*>(result), bytes);
}

}  // namespace plumbline_spin
