#include "measure/readings.h"

#include <cmath>

#include "core/run/metric.h"

namespace plumbline {

std::vector<MeasuredMetric> readings_of(std::vector<MeasuredMetric> metrics,
                                        const DeviceState& state) {
  for (MeasuredMetric& measured : metrics) {
    const Metric* const known = find_metric(measured.metric);
    measured.unit = known != nullptr ? known->unit : "s";
    if (std::isnan(measured.floor_s)) measured.floor_s = 0;
    measured.temperature_c = state.temperature_c;
    measured.power_w = state.power_w;
    measured.throttle = state.throttle;
  }
  return metrics;
}

}  // namespace plumbline
