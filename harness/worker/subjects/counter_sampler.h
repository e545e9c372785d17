/// What profile counters measures for a case: the hardware's counters of a cold launch.
///
/// Nothing is timed here: counting changes clocks and caches. Knows a Launch, a Device and
/// its Counters.
#pragma once

#include "device/counters.h"
#include "measure/sampler.h"
#include "measure/scrutiny.h"

namespace plumbline {

/// One sample for each of a few placements. A launch is repeated for each pass of the hardware,
/// each time on the same contents with poison where results will be, and looked at afterwards, as
/// timed launches are. If the counters fail, `counters` is absent with the reason. Throws what
/// launches and `scrutiny` throw.
VisitSamples sample_counters(Device& device, Counters& counters, const PlaceSubject& place,
                             const Scrutiny& scrutiny);

}  // namespace plumbline
