/// Requests that come one after another: how long each takes, and how many are served in a second.
///
/// Closed loop: a request comes when the one before is done. Open loop: requests come at random
/// times (a Poisson process) at a given rate, whether or not the one before is done, and wait for
/// their turn. Latency counts from the arrival, so that a stall delays all requests behind it: a
/// load generator that waits for answers would not see that.
/// Knows a Launch and a Device, never an op.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/op/serving.h"
#include "device/device.h"

namespace plumbline {

/// What was measured, by metric: latency_p50, …_p90, …_p99, …_p999 in seconds, throughput in items
/// per second.
struct Served {
  std::map<std::string, double> values;
  std::map<std::string, std::string> absent;  // metric -> why it has no value
};

/// Seconds from the begin of serving to each arrival, for an open loop. The gaps are exponential
/// with the mean 1 / rate, and the same for the same seed.
std::vector<double> arrival_times(const Serving& serving, std::uint64_t seed);

/// `arrivals` and `ends` in seconds from the begin, by request. A percentile is that of the nearest
/// rank. If the last request ends long after its arrival, requests came faster than they were
/// served: latencies then grow with the number of requests, and are absent.
Served summary(const Serving& serving, std::span<const double> arrivals,
               std::span<const double> ends);

/// Serves all requests. Throws what the launches throw.
Served serve(Device& device, const Launch& launch, const Serving& serving, std::uint64_t seed);

}  // namespace plumbline
