/// Does an implementation that uses streams of its own order them against the stream that it is
/// launched on?
///
/// Work that does not wait for the launch's stream reads its inputs too early: they are spoiled,
/// and filled again behind a delay on that stream. Work that the launch's stream does not wait for
/// writes its results too late: they are poisoned, LibTorch's pool of streams is delayed, and the
/// results are read on the launch's stream. A right implementation never notices either.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>

#include "backends/implementation.h"
#include "device/device.h"

namespace plumbline {

struct RaceSubject {
  std::function<Prepared()> prepare;  // the launch, bound to the stream that is current then
  Tensors inputs;                     // as the expected results have them
  std::function<std::string(const Tensors& results)> mistake;  // "" = they are as expected
};

/// Where races are looked for.
struct RaceSite {
  Device& device;
  int ordinal = 0;
  /// The device's fills and guard bands from now on go to that stream; its own: nullptr.
  std::function<void(cudaStream_t)> work_on;
};

/// What is wrong, and which stream was delayed, or "". Leaves the inputs as they were. Launches at
/// least eight times and waits for some milliseconds; where side streams are at work, for each bit
/// of their numbers.
std::string find_races(const RaceSite& site, const RaceSubject& subject);

}  // namespace plumbline
