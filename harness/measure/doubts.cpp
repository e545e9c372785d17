#include "measure/doubts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "measure/flags.h"
#include "stats/descriptive.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

/// With fewer blocks, neither modes nor a trend can be seen.
constexpr std::size_t kBlocksNeeded = 8;
/// Differences below this share of the time are ignored, even if they are certain.
constexpr double kWorthNaming = 0.02;

std::vector<double> block_medians(const MeasuredMetric& measurement) {
  std::vector<double> medians;
  for (std::size_t i = 0; i < measurement.samples.blocks(); ++i)
    medians.push_back(median(measurement.samples.block(i)));
  return medians;
}

/// Whether a visit's highest and lowest clock differ by more than 5 %.
bool has_unstable_clock(const std::vector<double>& clocks_hz) {
  std::vector<double> known;
  for (const double clock : clocks_hz)
    if (!std::isnan(clock)) known.push_back(clock);
  if (known.size() < 2) return false;
  const auto [low, high] = std::ranges::minmax(known);
  return high > 1.05 * low;
}

/// Two groups of block medians: the widest gap between sorted neighbours is at least half of the
/// whole range. It has at least a quarter of the blocks on either side and exceeds kWorthNaming.
bool is_bimodal(std::vector<double> medians) {
  if (medians.size() < kBlocksNeeded) return false;
  std::ranges::sort(medians);
  const std::size_t quarter = medians.size() / 4;
  double widest = 0;
  for (std::size_t i = quarter; i + quarter <= medians.size(); ++i)
    widest = std::max(widest, medians[i] - medians[i - 1]);
  const double range = medians.back() - medians.front();
  return widest >= range / 2 && widest > kWorthNaming * median(medians);
}

/// A straight line through the block medians over time: significant at 0.1 % and above
/// kWorthNaming.
bool has_trend(const std::vector<double>& medians, const std::vector<double>& times_s) {
  const std::size_t n = medians.size();
  if (n < kBlocksNeeded || times_s.size() != n) return false;
  const double time = mean(times_s);
  const double value = mean(medians);
  double times2 = 0;
  double product = 0;
  for (std::size_t i = 0; i < n; ++i) {
    times2 += (times_s[i] - time) * (times_s[i] - time);
    product += (times_s[i] - time) * (medians[i] - value);
  }
  if (times2 <= 0) return false;
  const double slope = product / times2;
  double residual2 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double off = medians[i] - value - slope * (times_s[i] - time);
    residual2 += off * off;
  }
  const double change = std::abs(slope) * (times_s.back() - times_s.front());
  if (change < kWorthNaming * value) return false;
  const double df = double(n) - 2;
  const double error = std::sqrt(residual2 / df / times2);
  return error == 0 || student_t_two_sided_p(slope / error, df) < 0.001;
}

bool holds_several_values(std::span<const double> block) {
  return std::ranges::any_of(block, [&](double value) { return value != block.front(); });
}

/// The samples of the visit have so few different values, mixed within most blocks, that the
/// timer's steps determine the median.
bool is_on_timer_grid(const SampleSet& samples) {
  constexpr std::size_t kSamplesNeeded = 40;
  constexpr double kCoarse = 0.01;  // smaller steps do not matter
  const std::set<double> values(samples.values().begin(), samples.values().end());
  if (samples.values().size() < kSamplesNeeded || values.size() < 2 || values.size() > 5)
    return false;
  std::size_t mixed = 0;
  for (std::size_t i = 0; i < samples.blocks(); ++i)
    mixed += holds_several_values(samples.block(i));
  if (2 * mixed < samples.blocks()) return false;
  double step = *values.rbegin() - *values.begin();
  for (auto at = std::next(values.begin()); at != values.end(); ++at)
    step = std::min(step, *at - *std::prev(at));
  return step > kCoarse * *values.begin();
}

/// Events and CUPTI's span of one visit's launches differ by more than 0.5 us or 1 %, plus the
/// floor's uncertainty. Only untraced launches count: tracing lengthens traced ones.
bool timers_disagree(const MeasuredMetric& measurement, const TimerFloor& floor) {
  const auto events = measurement.timers_s.find("event_untraced");
  const auto span = measurement.timers_s.find("span");
  if (events == measurement.timers_s.end() || span == measurement.timers_s.end()) return false;
  const double allowed_s =
      std::max(0.5e-6, 0.01 * span->second) + floor.uncertainty_s / double(measurement.batch);
  return std::abs(events->second - span->second) > allowed_s;
}

/// All ranks begin at one time by the GPUs' clocks (device/cuda/rank_kernels.h); most do within a
/// microsecond.
void name_late_ranks(const MeasuredMetric& measurement, std::vector<std::string>& doubts) {
  constexpr double kLate_s = 20e-6;
  for (const auto& [name, after_s] : measurement.timers_s)
    if (name.starts_with(kRankStart) && after_s > kLate_s)
      doubts.push_back("rank " + name.substr(kRankStart.size()) + " is late");
}

}  // namespace

std::vector<std::string> doubts_about(const MeasuredMetric& measurement, const TimerFloor& floor) {
  const auto values = measurement.samples.values();
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(values, is_finite)) return {kFlagNotFinite};
  std::vector<std::string> doubts;
  const std::vector<double> medians = block_medians(measurement);
  if (has_unstable_clock(measurement.block_clocks_hz)) doubts.push_back(kFlagUnstableClock);
  if (std::ranges::any_of(values, [](double s) { return s <= 0; }))
    doubts.push_back(kFlagBelowTimer);
  if (is_bimodal(medians)) doubts.push_back(kFlagBimodal);
  if (has_trend(medians, measurement.block_times_s)) doubts.push_back(kFlagTrend);
  if (is_on_timer_grid(measurement.samples)) doubts.push_back(kFlagTimerGrid);
  if (timers_disagree(measurement, floor)) doubts.push_back(kFlagTimersDisagree);
  name_late_ranks(measurement, doubts);
  if (std::ranges::any_of(measurement.block_causes, [](auto& c) { return !c.empty(); }))
    doubts.push_back(kFlagSetAside);
  return doubts;
}

void flag_doubts(MeasuredMetric& measurement, const TimerFloor& floor) {
  for (const std::string& doubt : doubts_about(measurement, floor)) measurement.add_flag(doubt);
}

}  // namespace plumbline
