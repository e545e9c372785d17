/// A visit of a case with streams: blocks of fork-joins on one device.
///
/// warm up -> size batches -> (place, first launches, one block)… -> done. All metrics of the visit
/// come from the same samples, so that a speedup compares launches milliseconds apart. The cache is
/// hot: with eviction, one stream could evict what another needs, and the time would belong to
/// neither. Knows a StreamDevice, but no op; the launches' results are verified elsewhere.
#pragma once

#include <functional>

#include "core/op/stream_setup.h"
#include "core/run/policy.h"
#include "device/streams.h"
#include "measure/sampler.h"

namespace plumbline {

/// Prepares all instances of the case at a placement (allocates, fills, prepares) and returns their
/// launch, which is valid until the next call. Equal numbers mean the same memory.
using PlaceInstances = std::function<StreamLaunch(std::int64_t placement)>;

/// Runs the visit on the open streams. Throws what the launches throw.
VisitSamples sample_streams(Device& device, StreamDevice& streams, const StreamSetup& setup,
                            const PlaceInstances& place, const Policy& policy);

}  // namespace plumbline
