/// graph_time: a graph of several launches, replayed on a held stream in blocks.
///
/// Knows a Launch that replays, never how it was captured.
#pragma once

#include "core/run/policy.h"
#include "measure/sampler.h"

namespace plumbline {

/// How many launches of so many seconds a graph should hold: 200 us of them, so that what starts a
/// replay is a small part of it, and 64 at most.
int launches_per_graph(double launch_s);

/// Blocks of replays under events until the stopping rule is content; samples are per launch of the
/// graph, the timer's floor taken off each replay. The memory of a graph is where it was captured,
/// so all blocks are at one placement. Throws what the replay throws.
MeasuredMetric sample_replays(Device& device, const Launch& replay, int launches,
                              const Policy& policy);

}  // namespace plumbline
