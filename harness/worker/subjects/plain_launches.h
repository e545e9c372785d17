/// Launches for a profiler or a checker: neither held nor timed.
///
/// Such tools serialise kernels and replay them: a stream that waits for the host would never end,
/// and times would include the tool.
#pragma once

#include "measure/sampler.h"

namespace plumbline {

/// Launches a few times to load code, then `launches` times within the NVTX range kLaunchesRange,
/// waiting for each. Returns one block of wall_time, for the answer only. Throws what the launches
/// throw.
VisitSamples launch_plainly(Device& device, const PlaceSubject& place, int launches);

}  // namespace plumbline
