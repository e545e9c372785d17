#include "device/cuda/kernels.h"
#include "device/cuda/rank_kernels.h"

namespace plumbline::cuda {
namespace {

__device__ std::uint64_t clock_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Waits until `number` is `wanted`; false if `until_ns` comes first.
__device__ bool wait_for(const volatile std::uint32_t& number, std::uint32_t wanted,
                         std::uint64_t until_ns) {
  while (number != wanted)
    if (clock_ns() > until_ns) return false;
  return true;
}

__global__ void ask_clock_kernel(ClockExchange* exchange, int count, std::uint64_t watchdog_ns) {
  const std::uint64_t until_ns = clock_ns() + watchdog_ns;
  std::uint64_t shortest_ns = ~std::uint64_t{0};
  for (int i = 1; i <= count; ++i) {
    const std::uint64_t begin_ns = clock_ns();
    exchange->asked = std::uint32_t(i);
    __threadfence_system();
    if (!wait_for(exchange->answered, std::uint32_t(i), until_ns)) return;
    const std::uint64_t end_ns = clock_ns();
    __threadfence_system();
    if (end_ns - begin_ns >= shortest_ns) continue;
    shortest_ns = end_ns - begin_ns;
    exchange->offset_ns =
        std::int64_t(exchange->answer_ns) - std::int64_t(begin_ns + shortest_ns / 2);
    exchange->round_trip_ns = shortest_ns;
  }
}

__global__ void answer_clock_kernel(ClockExchange* exchange, int count, std::uint64_t watchdog_ns) {
  const std::uint64_t until_ns = clock_ns() + watchdog_ns;
  for (int i = 1; i <= count; ++i) {
    if (!wait_for(exchange->asked, std::uint32_t(i), until_ns)) return;
    exchange->answer_ns = clock_ns();
    __threadfence_system();
    exchange->answered = std::uint32_t(i);
    __threadfence_system();
  }
}

__global__ void arrive_kernel(volatile std::uint32_t* place, std::uint32_t number) {
  *place = number;
  __threadfence_system();
}

}  // namespace

void launch_arrive(volatile std::uint32_t* place, std::uint32_t number, cudaStream_t stream) {
  arrive_kernel<<<1, 1, 0, stream>>>(place, number);
  check(cudaGetLastError(), "launch of the kernel that tells of its arrival");
}

void launch_ask_clock(ClockExchange* exchange, int count, std::uint64_t watchdog_ns,
                      cudaStream_t stream) {
  ask_clock_kernel<<<1, 1, 0, stream>>>(exchange, count, watchdog_ns);
  check(cudaGetLastError(), "launch of the kernel that asks another GPU's clock");
}

void launch_answer_clock(ClockExchange* exchange, int count, std::uint64_t watchdog_ns,
                         cudaStream_t stream) {
  answer_clock_kernel<<<1, 1, 0, stream>>>(exchange, count, watchdog_ns);
  check(cudaGetLastError(), "launch of the kernel that answers with its clock");
}

}  // namespace plumbline::cuda
