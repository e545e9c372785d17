/// What profile stock measures of a case, LibTorch's own allocator being at work: memory,
/// graph_time, energy.
///
/// Knows no op: placing, clearing and checking are the visit's.
#pragma once

#include <functional>

#include "core/run/policy.h"
#include "measure/sampler.h"

namespace plumbline {

struct StockSubject {
  PlaceSubject place;
  std::function<void()> clear;  // lets go of the last launch's results
  std::function<void()> check;  // throws where those are not what they must be
};

/// The measurements of profile stock that the policy asks for, one after the other: memory first,
/// while nothing but launches has used the allocator. `energy_j`: the device's total energy so far,
/// NaN where it cannot be told. What could not be measured is absent with the reason; throws what
/// launches and check throw. The results of an ordinary launch are there afterwards.
VisitSamples sample_stock(Device& device, const StockSubject& subject, const Policy& policy,
                          const std::function<double()>& energy_j);

}  // namespace plumbline
