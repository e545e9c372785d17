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

/// Readies the case at a placement (allocates, fills, prepares) and returns its launch, which lives
/// until the next call. Equal numbers are the same place in memory, and equal contents the same
/// values.
using PlaceSubject = std::function<Launch(std::int64_t placement, std::uint64_t contents)>;

struct VisitSamples {
  std::vector<MeasuredMetric> measurements;
  std::map<std::string, std::string> absent;  // metric -> why it was not measured
  std::string kernels;                        // JSON, of one launch
  std::optional<DeviceState> state;           // after the last block, where it was asked for
  std::string novelty;  // launches are faster on what they have seen, in words; "" = they are not
  double launching_s = 0;  // wall time in launches, evictions and holds, warm-up included
  double loading_s = 0;    // until the first launch was over: it loads code and makes plans
  double repeating_s = 0;  // in untimed launches that repeat timed ones
};

/// Runs the visit. `is_host_timed`: launches have wall_time, whether they could be held or not.
/// Throws what the launches throw, and what `scrutiny` throws.
VisitSamples sample_visit(Device& device, const PlaceSubject& place, const Policy& policy,
                          const Scrutiny& scrutiny = {}, bool is_host_timed = false);

}  // namespace plumbline
