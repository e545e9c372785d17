/// A visit: all blocks of a case on one device, metric by metric.
///
/// warm up -> size batches -> (place, first launch, one block per unfinished metric)… -> done.
/// Knows a Launch and a Device, never an op; what the launch computes is verified elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/policy.h"
#include "core/run.h"
#include "device/device.h"

namespace plumbline {

/// Readies the case at the placement of a block (allocates, fills, prepares) and returns its
/// launch, which lives until the next call.
using PlaceSubject = std::function<Launch(std::int64_t block)>;

/// Samples of one metric of a visit. Seconds per launch.
struct Measurement {
  std::string metric;
  std::int64_t batch = 1;
  double floor_s = 0;  // subtracted from each reading; 0 where nothing is
  SampleSet samples;
  std::vector<double> block_times_s;    // start of each block since the visit began
  std::vector<double> block_clocks_hz;  // kUnknown where the device cannot tell
  std::vector<std::string> flags;
};

/// Names of the flags that a visit can raise on itself.
inline constexpr const char* kFlagHoldExpired = "enqueue longer than the hold";
inline constexpr const char* kFlagUnstableClock = "unstable clock";
inline constexpr const char* kFlagBelowTimer = "below the timer's floor";
inline constexpr const char* kFlagImprecise = "precision not reached";

struct VisitSamples {
  std::vector<Measurement> measurements;
  double launching_s = 0;  // wall time in launches, evictions and holds, warm-up included
};

/// Runs the visit. Throws what the launches throw.
VisitSamples sample_visit(Device& device, const PlaceSubject& place, const Policy& policy);

}  // namespace plumbline
