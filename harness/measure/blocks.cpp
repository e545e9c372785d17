#include "measure/blocks.h"

#include <algorithm>
#include <cmath>

namespace plumbline {

int batch_for(double launch_s, int most) {
  constexpr double kBatchBelow_s = 20e-6;
  constexpr double kBatchTarget_s = 200e-6;
  if (!(launch_s < kBatchBelow_s)) return 1;
  return std::clamp(int(std::ceil(kBatchTarget_s / std::max(launch_s, 1e-6))), 1, most);
}

double samples_that_fit(double sample_s, const Policy& policy) {
  return std::floor(policy.budget_s / double(policy.blocks_min) / std::max(sample_s, 1e-9));
}

void add_block(MeasuredMetric& metric, std::span<const double> samples, double since_s,
               std::int64_t placement, double clock_hz) {
  metric.samples.add_block(samples);
  metric.block_times_s.push_back(since_s);
  metric.block_clocks_hz.push_back(clock_hz > 0 ? clock_hz : kUnknown);
  metric.block_placements.push_back(placement);
}

}  // namespace plumbline
