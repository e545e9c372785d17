#include "kernels.h"

namespace planted {
namespace {

__global__ void wild_write(unsigned long long address) {
  *reinterpret_cast<volatile int*>(address) = 1;
}

__global__ void late_wild_write(unsigned long long address, unsigned long long delay_ns) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < delay_ns);
  *reinterpret_cast<volatile int*>(address) = 1;
}

__global__ void endless(long long until) {
  while (clock64() != until) __nanosleep(1000);
}

__global__ void doubled(const float* x, float* result, long long count, long long past) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < count + past) result[i] = i < count ? 2 * x[i] : 1;
}

}  // namespace

void launch_wild_write(cudaStream_t stream) { wild_write<<<1, 1, 0, stream>>>(0x10); }

void launch_late_wild_write(double delay_s, cudaStream_t stream) {
  late_wild_write<<<1, 1, 0, stream>>>(0x10, static_cast<unsigned long long>(delay_s * 1e9));
}

void launch_endless(cudaStream_t stream) { endless<<<1, 1, 0, stream>>>(-1); }

void launch_doubled(const float* x, float* result, std::int64_t count, std::int64_t past,
                    cudaStream_t stream) {
  constexpr int kThreads = 128;
  const auto blocks = static_cast<unsigned>((count + past + kThreads - 1) / kThreads);
  doubled<<<blocks, kThreads, 0, stream>>>(x, result, count, past);
}

}  // namespace planted
