/// Kernels for several GPUs that compute one case. Each function enqueues on `stream`, whose device
/// must be the current one, and throws DeviceError.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "device/cuda/kernels.h"

namespace plumbline::cuda {

/// A GPU writes it to the memory of another one, which waits for the number.
struct Mailbox {
  volatile std::uint32_t number;
  volatile std::uint64_t ns;  // by the clock of the GPU that reads it, or of the one that answers
};

/// What rank 0 needs from another rank, and what it found; in mapped host memory. Two GPUs' clocks
/// drift apart by up to 0.1 us in a millisecond, so they are compared before each start. The
/// exchange with the shortest way gives the offset (Cristian 1989, "Probabilistic clock
/// synchronization").
struct Meeting {
  Mailbox* to;                           // memory of the other rank's GPU
  Mailbox* from;                         // memory of rank 0's GPU
  volatile std::int64_t offset_ns;       // the other's clock minus rank 0's
  volatile std::uint64_t round_trip_ns;  // of the shortest exchange; kNoAnswer
};
inline constexpr std::uint64_t kNoAnswer = ~std::uint64_t{0};

inline constexpr int kExchanges = 16;
inline constexpr std::uint32_t kNumbersOfAMeeting = kExchanges + 1;

/// Holds rank 0's stream until the host releases it. Then it compares its clock with those of
/// `count` other ranks, which launch_follow() holds, and all go on at one time. `first`: numbers
/// from it to first + kNumbersOfAMeeting - 1 belong to this meeting. count: at most 1024.
void launch_lead(HoldState* state, Meeting* meetings, int count, std::uint32_t first,
                 std::uint64_t watchdog_ns, cudaStream_t stream);
/// Holds another rank's stream until rank 0 tells it when to go on. `own`, `rank0s`: the meeting's
/// `to` and `from`.
void launch_follow(HoldState* state, Mailbox* own, Mailbox* rank0s, std::uint32_t first,
                   std::uint64_t watchdog_ns, cudaStream_t stream);

/// On the current device. The driver loads a kernel at its first launch, which may wait for what
/// runs on the GPUs, and these kernels wait for one another.
void load_meeting_kernels();

/// Writes `number` to mapped host memory: the stream has arrived there.
void launch_arrive(volatile std::uint32_t* place, std::uint32_t number, cudaStream_t stream);

}  // namespace plumbline::cuda
