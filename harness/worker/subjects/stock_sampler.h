/// What profile stock measures for a case with LibTorch's own allocator: memory, graph_time,
/// energy.
///
/// Knows no op: the visit places, clears and checks.
#pragma once

#include <functional>

#include "core/run/policy.h"
#include "measure/sampler.h"

namespace plumbline {

struct StockSubject {
  PlaceSubject place;
  std::function<void()> clear;  // releases the last launch's results
  std::function<void()> check;  // throws if these are wrong
  std::string uncapturable;     // why its launches cannot be part of a CUDA graph; "": they can
  std::string keeps_memory;     // why a launch allocates nothing that it needs; "": it does
};

/// Measures in turn what the policy asks for in profile stock. Memory comes first, while only
/// launches have used the allocator. `energy_j`: the device's total energy so far; NaN if unknown.
/// Metrics that could not be measured are absent with the reason. Throws what launches and check
/// throw. Afterwards the results are those of an ordinary launch.
VisitSamples sample_stock(Device& device, const StockSubject& subject, const Policy& policy,
                          const std::function<double()>& energy_j);

}  // namespace plumbline
