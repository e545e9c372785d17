#include "device/cuda/kernels.h"
#include "device/cuda/rank_kernels.h"

namespace plumbline::cuda {
namespace {

/// From the decision to the start. A word needs 1 to 3 us to another GPU.
constexpr std::uint64_t kLeadNs = 10'000;

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
  __threadfence_system();  // what was written before the number
  return true;
}

__device__ void tell(Mailbox* box, std::uint32_t number, std::uint64_t ns) {
  box->ns = ns;
  __threadfence_system();
  box->number = number;
  __threadfence_system();
}

__device__ void expire(HoldState* state) {
  state->expired = 1;
  __threadfence_system();
}

/// Asks the other rank's clock. Returns false if it does not answer.
__device__ bool compare_clocks(const Meeting& meeting, std::uint32_t first, std::uint64_t until_ns,
                               std::int64_t& offset_ns, std::uint64_t& round_trip_ns) {
  for (std::uint32_t i = first; i != first + kExchanges; ++i) {
    const std::uint64_t begin_ns = clock_ns();
    tell(meeting.to, i, 0);
    if (!wait_for(meeting.from->number, i, until_ns)) return false;
    const std::uint64_t way_ns = clock_ns() - begin_ns;
    if (way_ns >= round_trip_ns) continue;
    round_trip_ns = way_ns;
    offset_ns = std::int64_t(meeting.from->ns) - std::int64_t(begin_ns + way_ns / 2);
  }
  return true;
}

/// A thread for each other rank.
__global__ void lead_kernel(HoldState* state, Meeting* meetings, std::uint32_t first,
                            std::uint64_t watchdog_ns) {
  __shared__ std::uint64_t start_ns;
  const Meeting meeting{meetings[threadIdx.x].to, meetings[threadIdx.x].from, 0, kNoAnswer};
  const std::uint64_t until_ns = clock_ns() + watchdog_ns;
  if (threadIdx.x == 0 && !wait_for(state->released, 1, until_ns)) expire(state);
  __syncthreads();
  std::int64_t offset_ns = 0;
  std::uint64_t round_trip_ns = kNoAnswer;
  if (!compare_clocks(meeting, first, until_ns, offset_ns, round_trip_ns)) {
    round_trip_ns = kNoAnswer;
    expire(state);
  }
  meetings[threadIdx.x].offset_ns = offset_ns;
  meetings[threadIdx.x].round_trip_ns = round_trip_ns;
  __syncthreads();
  if (threadIdx.x == 0) start_ns = clock_ns() + kLeadNs;
  __syncthreads();
  tell(meeting.to, first + kExchanges, start_ns + offset_ns);
  while (clock_ns() < start_ns) {
  }
}

__global__ void follow_kernel(HoldState* state, Mailbox* own, Mailbox* rank0s, std::uint32_t first,
                              std::uint64_t watchdog_ns) {
  const std::uint64_t until_ns = clock_ns() + watchdog_ns;
  for (std::uint32_t i = first; i != first + kExchanges; ++i) {
    if (!wait_for(own->number, i, until_ns)) return expire(state);
    tell(rank0s, i, clock_ns());
  }
  if (!wait_for(own->number, first + kExchanges, until_ns)) return expire(state);
  const std::uint64_t start_ns = own->ns;
  while (clock_ns() < start_ns)
    if (clock_ns() > until_ns) return expire(state);
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

void load_meeting_kernels() {
  cudaFuncAttributes loaded{};
  check(cudaFuncGetAttributes(&loaded, lead_kernel), "cudaFuncGetAttributes");
  check(cudaFuncGetAttributes(&loaded, follow_kernel), "cudaFuncGetAttributes");
}

void launch_lead(HoldState* state, Meeting* meetings, int count, std::uint32_t first,
                 std::uint64_t watchdog_ns, cudaStream_t stream) {
  lead_kernel<<<1, unsigned(count), 0, stream>>>(state, meetings, first, watchdog_ns);
  check(cudaGetLastError(), "launch of the kernel that starts the other ranks");
}

void launch_follow(HoldState* state, Mailbox* own, Mailbox* rank0s, std::uint32_t first,
                   std::uint64_t watchdog_ns, cudaStream_t stream) {
  follow_kernel<<<1, 1, 0, stream>>>(state, own, rank0s, first, watchdog_ns);
  check(cudaGetLastError(), "launch of the kernel that waits for rank 0");
}

}  // namespace plumbline::cuda
