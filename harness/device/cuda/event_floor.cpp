#include "device/cuda/event_floor.h"

#include <algorithm>
#include <cmath>

#include "core/unknown.h"
#include "device/cuda/cuda_device.h"
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

Launch CudaDevice::floor_kernel(const std::string& name) {
  constexpr std::size_t kWrittenBytes = std::size_t{64} << 20;
  if (name == "write") return [this] { launch_write(evict_buffer_, kWrittenBytes, stream_); };
  return [this] { launch_nothing(stream_); };
}

void CudaDevice::calibrate_floor() {
  if (profile_ != Profile::counters) open_tracer();  // CUPTI traces or counts, never both
  constexpr int kFloorSamples = 60;
  std::vector<FloorProbe> probes;
  for (const char* const name : {"empty", "write"}) {
    const Launch launch = floor_kernel(name);
    BlockPlan plan{.cache = CacheState::cold, .timer = Timer::events, .samples = kFloorSamples};
    time_block(launch, plan);
    LatestReadings& readings = floor_readings_[name];
    readings.add(time_block(launch, plan).samples_s);
    FloorProbe probe{name, readings.midmean_s(), kUnknown};
    if (tracer_) {
      plan.timer = Timer::trace;
      plan.samples = kFloorSamples / 2 * 3;  // two of three are traced
      const BlockReading reading = time_block(launch, plan);
      if (!reading.samples_s.empty()) probe.by_trace_s = midmean_of(reading.samples_s);
    }
    probes.push_back(probe);
  }
  floor_ = cuda::event_floor(std::move(probes));
}

/// Only for profile timing: the times of the other profiles do not come from events alone. The
/// empty kernel's readings are steadier and give the drift; all readings give the difference
/// between kernels. Launches of several ranks are timed in another way, so the floor stays.
void CudaDevice::begin_visit() {
  if (profile_ != Profile::timing || has_ranks()) return;
  const BlockPlan plan{.cache = CacheState::cold, .timer = Timer::events};
  std::vector<FloorProbe> probes = floor_.probes;
  for (FloorProbe& probe : probes) {
    const Launch launch = floor_kernel(probe.kernel);
    LatestReadings& readings = floor_readings_[probe.kernel];
    for (int i = 0; i < kVisitReadings; ++i)
      readings.add(time_held(launch, plan, 1, 0).by_events_s);
    probe.by_events_s = readings.midmean_s();
  }
  floor_ = cuda::event_floor(std::move(probes));
  floor_.floor.seconds += floor_readings_["empty"].drift_s();
}

}  // namespace plumbline::cuda
