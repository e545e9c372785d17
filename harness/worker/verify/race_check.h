/// Checks whether an implementation with its own streams orders them correctly with the stream of
/// its launch.
///
/// Work that does not wait for the launch's stream reads its inputs too early. Check: inputs are
/// spoiled, and filled again after a delay on that stream. Work that the launch's stream does not
/// wait for writes its results too late. Check: results are poisoned, LibTorch's pool of streams is
/// delayed, and the results are read on the launch's stream. A correct implementation is not
/// affected by either.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>

#include "backends/implementation.h"
#include "device/device.h"

namespace plumbline {

struct RaceSubject {
  std::function<Prepared()> prepare;  // the launch, bound to the current stream
  Tensors inputs;                     // the inputs of the expected results
  std::function<std::string(const Tensors& results)> mistake;  // "": as expected
};

/// Where to look for races.
struct RaceSite {
  Device& device;
  int ordinal = 0;
  /// Sends the device's fills and guard bands to that stream from now on; nullptr: its own stream.
  std::function<void(cudaStream_t)> work_on;
};

/// Describes the mistake and which stream was delayed; "": none. Leaves the inputs unchanged.
/// Launches at least eight times and waits some milliseconds; if side streams are used, that for
/// each bit of their numbers.
std::string find_races(const RaceSite& site, const RaceSubject& subject);

}  // namespace plumbline
