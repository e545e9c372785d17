/// How a case uses streams: the parameters `stream.*`, typed.
///
/// A case whose stream parameters all stand at their defaults is one launch on one stream and knows
/// nothing of this. Knows no CUDA: device/streams.h is what such a case needs of a device.
#pragma once

#include <string>
#include <vector>

#include "core/op/op_spec.h"

namespace plumbline {

/// What each instance copies around its launch, in its own stream.
enum class Overlap { none, copy_pinned, copy_pageable };

/// Who waits for whom among the instances, in events between their streams.
enum class Dependencies {
  independent,  // fork and join alone
  chain,        // each waits for the one before
  diamond,      // all wait for the first, and the last waits for all
};

struct StreamSetup {
  int count = 1;                    // instances, each on a stream of its own
  std::string priority = "normal";  // low, normal (CUDA's default, 0), high, or CUDA's number
  bool is_blocking =
      false;              // the first on the legacy default stream, the others synchronise with it
  bool is_graph = false;  // captured once, replayed
  double background = 0;  // share of the multiprocessors that a background load occupies
  Overlap overlap = Overlap::none;
  int connections = 8;  // CUDA_DEVICE_MAX_CONNECTIONS of the worker's process
  Dependencies dependencies = Dependencies::independent;
};

/// CUDA's default of CUDA_DEVICE_MAX_CONNECTIONS.
inline constexpr int kDefaultConnections = 8;
inline constexpr int kStreamsMax = 128;

/// The parameters `stream.*` of every op.
const std::vector<ParamSpec>& stream_params();

/// Parameters that are missing are at their default.
StreamSetup stream_setup(const Params& params);

/// The first stream parameter that is not at its default, as `name=value`; "" = a plain launch.
std::string stream_axis_of(const Params& params);

/// `connections` alone.
int stream_connections(const Params& params);

/// Why no device can measure the stream configuration of a case; "" where one can.
std::string unmeasurable_stream(const Params& params);

/// Instances that instance `i` waits for; ascending. Those that nobody waits for end the case.
std::vector<int> instances_before(const StreamSetup& setup, int i);

}  // namespace plumbline
