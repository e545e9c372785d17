#include "device/cuda/event_floor.h"

#include <algorithm>
#include <cmath>

namespace plumbline::cuda {

EventFloor event_floor(std::vector<FloorProbe> probes) {
  EventFloor result;
  double low = 0;
  double high = 0;
  bool has_trace = false;
  for (const FloorProbe& probe : probes) {
    if (std::isnan(probe.by_trace_s)) continue;
    const double added_s = probe.by_events_s - probe.by_trace_s;
    low = has_trace ? std::min(low, added_s) : added_s;
    high = has_trace ? std::max(high, added_s) : added_s;
    has_trace = true;
  }
  if (has_trace)
    result.floor = {(low + high) / 2, (high - low) / 2};
  else if (!probes.empty())
    result.floor = {probes.front().by_events_s, kUntracedUncertainty_s};
  result.probes = std::move(probes);
  return result;
}

}  // namespace plumbline::cuda
