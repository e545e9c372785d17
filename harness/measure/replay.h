/// graph_time: replays a graph on a held stream, in blocks. Hot, a graph holds several launches;
/// cold, one, and L2 is evicted before each replay.
///
/// Knows a Launch that replays, not how it was captured.
#pragma once

#include "core/run/policy.h"
#include "measure/sampler.h"

namespace plumbline {

/// How many launches of `launch_s` seconds a graph should hold: 200 us of them, so that the start
/// of a replay is a small part, and at most 64.
int launches_per_graph(double launch_s);

/// Times blocks of replays by events until the stopping rule ends. Samples are per launch of the
/// graph; the timer's floor is subtracted from each replay. A graph keeps the memory of its
/// capture, so all blocks have one placement. `cache` is hot or cold, which names the metric.
/// Throws what the replay throws.
MeasuredMetric sample_replays(Device& device, const Launch& replay, int launches, CacheState cache,
                              const Policy& policy);

}  // namespace plumbline
