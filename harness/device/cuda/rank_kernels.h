/// Kernels for several GPUs that compute one case. Each function enqueues on `stream`, whose device
/// must be the current one, and throws DeviceError.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace plumbline::cuda {

/// Two GPUs exchange readings of their nanosecond clocks, in mapped host memory. The exchange with
/// the shortest way gives the offset (Cristian 1989, "Probabilistic clock synchronization").
struct ClockExchange {
  volatile std::uint32_t asked, answered;  // number of the exchange, from 1
  volatile std::uint64_t answer_ns;        // clock of the GPU that answers
  volatile std::int64_t offset_ns;         // its clock minus the other's
  volatile std::uint64_t round_trip_ns;    // of the shortest exchange; the host sets it to the
                                           // largest number: no answer
};

/// One GPU asks `count` times and the other answers. Both give up after `watchdog_ns`.
void launch_ask_clock(ClockExchange* exchange, int count, std::uint64_t watchdog_ns,
                      cudaStream_t stream);
void launch_answer_clock(ClockExchange* exchange, int count, std::uint64_t watchdog_ns,
                         cudaStream_t stream);

/// Writes `number` to mapped host memory: the stream has arrived there.
void launch_arrive(volatile std::uint32_t* place, std::uint32_t number, cudaStream_t stream);

}  // namespace plumbline::cuda
