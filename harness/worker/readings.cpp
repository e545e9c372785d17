#include "worker/readings.h"

#include "core/metric.h"

namespace plumbline {

std::vector<MetricReading> readings_of(const std::vector<Measurement>& measurements,
                                       const DeviceState& state) {
  std::vector<MetricReading> readings;
  for (const Measurement& m : measurements) {
    MetricReading reading;
    reading.metric = m.metric;
    const Metric* known = find_metric(m.metric);
    reading.unit = known != nullptr ? known->unit : "s";
    reading.batch = m.batch;
    reading.floor_s = m.floor_s;
    reading.samples = m.samples;
    reading.block_times_s = m.block_times_s;
    reading.block_clocks_hz = m.block_clocks_hz;
    reading.block_placements = m.block_placements;
    reading.block_causes = m.block_causes;
    reading.timers_s = m.timers_s;
    reading.flags = m.flags;
    reading.temperature_c = state.temperature_c;
    reading.power_w = state.power_w;
    reading.throttle = state.throttle;
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace plumbline
