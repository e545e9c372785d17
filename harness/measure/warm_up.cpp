#include "measure/warm_up.h"

#include <algorithm>

namespace plumbline {
namespace {

constexpr int kLaunchesMin = 3;
/// The clock is stable when this many launches in a row are within that fraction of each other.
constexpr std::size_t kStableClocks = 5;
constexpr double kStableWithin = 0.01;

bool is_stable(const std::vector<double>& clocks_hz) {
  if (clocks_hz.size() < kStableClocks) return false;
  const auto [low, high] = std::minmax_element(clocks_hz.end() - kStableClocks, clocks_hz.end());
  return *high <= *low * (1 + kStableWithin);
}

}  // namespace

void WarmUp::add_launch(double clock_hz) {
  ++launches_;
  if (clock_hz > 0) clocks_hz_.push_back(clock_hz);
}

bool WarmUp::is_over() const {
  const double spent_s = device_.now_s() - begin_s_;
  if (launches_ < kLaunchesMin || spent_s < policy_.warmup_s) return false;
  return clocks_hz_.empty() || is_stable(clocks_hz_) || spent_s >= policy_.warmup_max_s;
}

}  // namespace plumbline
