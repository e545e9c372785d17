#include "measure/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/stopping_rule.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// Below this a launch is timed in batches, long enough that the timer's grid does not show.
constexpr double kBatchBelow_s = 20e-6;
constexpr double kBatchTarget_s = 200e-6;
constexpr int kBatchMax = 64;
constexpr int kWarmupLaunchesMin = 3;

/// Times blocks and adds up how long that took.
class Stopwatch {
 public:
  Stopwatch(Device& device, const Launch& launch) : device_(device), launch_(launch) {}
  BlockReading time_block(const BlockPlan& plan) {
    const double begin_s = device_.now_s();
    BlockReading reading = device_.time_block(launch_, plan);
    launching_s_ += device_.now_s() - begin_s;
    return reading;
  }
  double launching_s() const { return launching_s_; }
  Device& device() { return device_; }

 private:
  Device& device_;
  const Launch& launch_;  // of the placement at hand
  double launching_s_ = 0;
};

/// One metric while its visit is running.
struct Track {
  TimeMetric metric;
  BlockPlan plan;
  StoppingRule rule;
  Measurement result;
};

/// Launches for `warmup_s`, and returns the seconds that a launch takes at best: what disturbs one
/// of them must not decide how all are batched.
double warm_up(Stopwatch& stopwatch, const TimeMetric& metric, const Policy& policy) {
  const BlockPlan one{
      .cache = metric.cache, .is_wall_time = metric.is_wall_time, .samples = 1, .batch = 1};
  const double begin_s = stopwatch.device().now_s();
  double best_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kWarmupLaunchesMin || stopwatch.device().now_s() - begin_s < policy.warmup_s;
       ++i)
    best_s = std::min(best_s, stopwatch.time_block(one).samples_s.front());
  return best_s;
}

/// Cold launches cannot be batched: the cache is evicted before each. Long launches get fewer
/// samples per block, so that blocks_min blocks fit the budget.
BlockPlan plan_for(const TimeMetric& metric, double launch_s, const Policy& policy) {
  BlockPlan plan{
      .cache = metric.cache, .is_wall_time = metric.is_wall_time, .samples = 1, .batch = 1};
  if (metric.cache == CacheState::hot && launch_s < kBatchBelow_s)
    plan.batch =
        std::clamp(int(std::ceil(kBatchTarget_s / std::max(launch_s, 1e-9))), 1, kBatchMax);
  const double per_block_s = policy.budget_s / double(policy.blocks_min);
  const double fit = std::floor(per_block_s / std::max(launch_s * plan.batch, 1e-9));
  plan.samples = int(std::clamp(fit, 1.0, double(policy.samples)));
  return plan;
}

void add_flag(Measurement& result, const char* flag) {
  if (std::ranges::find(result.flags, flag) == result.flags.end()) result.flags.emplace_back(flag);
}

void take_block(Stopwatch& stopwatch, double visit_begin_s, Track& track) {
  track.result.block_times_s.push_back(stopwatch.device().now_s() - visit_begin_s);
  const BlockReading reading = stopwatch.time_block(track.plan);
  track.result.samples.add_block(reading.samples_s);
  track.result.block_clocks_hz.push_back(reading.clock_hz > 0 ? reading.clock_hz : kUnknown);
  if (reading.hold_expired) add_flag(track.result, kFlagHoldExpired);
  if (std::ranges::any_of(reading.samples_s, [](double s) { return s <= 0; }))
    add_flag(track.result, kFlagBelowTimer);
  track.rule.add_block(median(reading.samples_s), reading.spent_s);
}

/// The highest and lowest clock of a visit more than 5 % apart.
bool has_unstable_clock(const std::vector<double>& clocks_hz) {
  std::vector<double> known;
  for (const double clock : clocks_hz)
    if (!std::isnan(clock)) known.push_back(clock);
  if (known.size() < 2) return false;
  const auto [low, high] = std::ranges::minmax(known);
  return high > 1.05 * low;
}

Measurement finish(Track& track, const Policy& policy) {
  if (has_unstable_clock(track.result.block_clocks_hz)) add_flag(track.result, kFlagUnstableClock);
  if (track.rule.relative_half_width() > std::max(policy.precision, 0.01))
    add_flag(track.result, kFlagImprecise);
  return std::move(track.result);
}

}  // namespace

VisitSamples sample_visit(Device& device, const PlaceSubject& place, const Policy& policy) {
  const double begin_s = device.now_s();
  Launch launch = place(0);
  device.begin_launch();
  launch();  // loads code and makes handles: outside any hold, because that waits for the device
  device.synchronize();
  Stopwatch stopwatch(device, launch);
  std::vector<Track> tracks;
  for (const TimeMetric& metric : device.time_metrics(policy.cache, device.can_be_held(launch))) {
    const double launch_s = warm_up(stopwatch, metric, policy);
    Track track{metric, plan_for(metric, launch_s, policy), StoppingRule(policy), {}};
    track.result.metric = metric.name;
    track.result.batch = track.plan.batch;
    track.result.floor_s = metric.is_wall_time ? 0 : device.timer_floor_s();
    tracks.push_back(std::move(track));
  }
  const auto is_running = [](const Track& track) { return !track.rule.is_finished(); };
  for (std::int64_t block = 0; std::ranges::any_of(tracks, is_running); ++block) {
    if (block > 0) {
      launch = place(block);
      device.begin_launch();
      launch();
    }
    for (Track& track : tracks)
      if (is_running(track)) take_block(stopwatch, begin_s, track);
  }
  VisitSamples samples{{}, stopwatch.launching_s()};
  for (Track& track : tracks) samples.measurements.push_back(finish(track, policy));
  return samples;
}

}  // namespace plumbline
