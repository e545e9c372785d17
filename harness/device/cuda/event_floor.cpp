#include "device/cuda/event_floor.h"

#include <algorithm>
#include <cmath>

#include "device/cuda/held_stream.h"

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

void LatestReadings::add(const std::vector<double>& readings_s) {
  readings_s_.insert(readings_s_.end(), readings_s.begin(), readings_s.end());
  while (readings_s_.size() > kKept) readings_s_.pop_front();
}

double LatestReadings::midmean_s(std::size_t latest) const {
  const auto count = std::ptrdiff_t(std::min(latest, readings_s_.size()));
  return midmean_of({readings_s_.end() - count, readings_s_.end()});
}

}  // namespace plumbline::cuda
