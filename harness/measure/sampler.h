/// A visit: all blocks of a case on one device, metric by metric.
///
/// warm up -> size batches -> (place, first launch, one block per unfinished metric)… -> done.
/// Doubts about what was measured become flags (flags.h).
/// Knows a Launch and a Device, never an op; what the launch computes is verified elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run/policy.h"
#include "core/run/result.h"
#include "device/device.h"
#include "measure/scrutiny.h"

namespace plumbline {

/// Prepares the case at a placement (allocates, fills, prepares) and returns its launch, which is
/// valid until the next call. Equal numbers mean the same memory; equal contents mean the same
/// values.
using PlaceSubject = std::function<Launch(std::int64_t placement, std::uint64_t contents)>;

struct VisitSamples {
  std::vector<MeasuredMetric> measurements;
  std::map<std::string, std::string> absent;  // metric -> why it was not measured
  std::string kernels;                        // JSON, of one launch
  std::optional<DeviceState> state;           // after the last block, if requested
  std::string novelty;  // says that launches are faster on data that they have seen; "": they are
                        // not
  double launching_s = 0;  // wall time in launches, evictions and holds, including warm-up
  double loading_s = 0;    // until the end of the first launch, which loads code and makes plans
  double repeating_s = 0;  // in untimed launches that repeat timed ones
};

/// Which launches have wall_time.
enum class HostTimed {
  if_not_held,  // those that cannot be held
  also,         // all, beside their other times
  alone,        // all, and no other time
};

/// Runs the visit. Throws what the launches and `scrutiny` throw.
VisitSamples sample_visit(Device& device, const PlaceSubject& place, const Policy& policy,
                          const Scrutiny& scrutiny = {},
                          HostTimed host_timed = HostTimed::if_not_held);

}  // namespace plumbline
