/// How a case uses streams: the parameters `stream.*`, typed.
///
/// A case with all stream parameters at their defaults is one launch on one stream and does not use
/// this. Knows no CUDA: device/streams.h does the work on the device.
#pragma once

#include <string>
#include <vector>

#include "core/op/op_spec.h"

namespace plumbline {

/// Copies that each instance makes around its launch, in its own stream.
enum class Overlap { none, copy_pinned, copy_pageable };

/// Which instance waits for which, by events between their streams.
enum class Dependencies {
  independent,  // only fork and join
  chain,        // each waits for the previous one
  diamond,      // all wait for the first, and the last waits for all
};

struct StreamSetup {
  int count = 1;                    // instances, each on a stream of its own
  std::string priority = "normal";  // low, normal (CUDA's default, 0), high, or CUDA's number
  bool is_blocking = false;         // first on the legacy stream, others synchronize with it
  bool is_graph = false;            // captured once, replayed
  double background = 0;            // share of the multiprocessors that a background load occupies
  Overlap overlap = Overlap::none;
  int connections = 8;  // CUDA_DEVICE_MAX_CONNECTIONS of the worker's process
  Dependencies dependencies = Dependencies::independent;
};

/// CUDA's default of CUDA_DEVICE_MAX_CONNECTIONS.
inline constexpr int kDefaultConnections = 8;
inline constexpr int kStreamsMax = 128;

/// The parameters `stream.*` of every op.
const std::vector<ParamSpec>& stream_params();

/// Missing parameters are at their defaults.
StreamSetup stream_setup(const Params& params);

/// The first stream parameter that is not at its default, as `name=value`; "" = a plain launch.
std::string stream_axis_of(const Params& params);

/// Only `connections`.
int stream_connections(const Params& params);

/// Why no device can measure this stream configuration; "" where one can.
std::string unmeasurable_stream(const Params& params);

/// The instances that instance `i` waits for, ascending. Instances that nobody waits for end the
/// case.
std::vector<int> instances_before(const StreamSetup& setup, int i);

}  // namespace plumbline
