#include "measure/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/metric.h"
#include "measure/doubts.h"
#include "measure/flags.h"
#include "measure/placements.h"
#include "measure/sensors.h"
#include "measure/stopping_rule.h"
#include "measure/warm_up.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// Below this a launch is timed in batches, long enough that the timer's grid does not show.
constexpr double kBatchBelow_s = 20e-6;
constexpr double kBatchTarget_s = 200e-6;
constexpr int kBatchMax = 64;
/// Each traced launch leaves records to be read, and CUPTI's clock needs no long batches.
constexpr int kTracedBatchMax = 8;
/// Of these one before each block is all that time allows.
constexpr double kLongLaunch_s = 2e-3;
constexpr int kWarmupLaunchesMin = 3;
/// The power of launches up to this long is evened out by the evictions between them. Longer ones
/// rest in proportion to the excess, so that no threshold decides about a case's speed.
constexpr double kRestBeyond_s = 100e-6;
constexpr double kRestedSamplesMin = 3;

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
  void begin_visit() {
    const double begin_s = device_.now_s();
    device_.begin_visit();
    launching_s_ += device_.now_s() - begin_s;
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
  MeasuredMetric result;
  std::vector<MeasuredMetric> beside;  // further metrics of the same launches
  std::map<std::string, std::vector<double>> timers;
  std::string failure;
};

/// Launches until the device is warm. Returns the seconds that a launch takes at best: what
/// disturbs one of them must not decide how all are batched.
double warm_up(Stopwatch& stopwatch, const TimeMetric& metric, bool is_held, const Policy& policy) {
  BlockPlan one{.cache = metric.cache,
                .timer = is_held ? Timer::events : Timer::host_clock,
                .samples = 1,
                .is_held = is_held};
  if (metric.timer == Timer::host_clock) one.timer = Timer::host_clock;
  const double begin_s = stopwatch.device().now_s();
  double best_s = std::numeric_limits<double>::infinity();
  WarmUp rule(policy);
  for (int i = 0; i < kWarmupLaunchesMin || !rule.is_over(stopwatch.device().now_s() - begin_s);
       ++i) {
    const BlockReading reading = stopwatch.time_block(one);
    best_s = std::min(best_s, reading.samples_s.front());
    rule.add_clock(reading.clock_hz);
  }
  return best_s;
}

/// Cold launches cannot be batched: the cache is evicted before each. Long launches get fewer
/// samples per block, so that blocks_min blocks fit the budget.
BlockPlan plan_for(const TimeMetric& metric, bool is_held, double launch_s, const Policy& policy) {
  BlockPlan plan{.cache = metric.cache, .timer = metric.timer, .samples = 1, .is_held = is_held};
  const int most = metric.timer == Timer::trace ? kTracedBatchMax : kBatchMax;
  if (metric.cache == CacheState::hot && launch_s < kBatchBelow_s)
    plan.batch = std::clamp(int(std::ceil(kBatchTarget_s / std::max(launch_s, 1e-9))), 1, most);
  if (metric.cache != CacheState::hot && is_held)
    plan.rest_s = policy.rest * std::max(launch_s - kRestBeyond_s, 0.0);
  const double per_block_s = policy.budget_s / double(policy.blocks_min);
  const double fit = std::floor(per_block_s / std::max(launch_s * plan.batch, 1e-9));
  const double fit_rested =
      std::floor(per_block_s / std::max(launch_s * plan.batch + plan.rest_s, 1e-9));
  plan.samples = int(std::clamp(std::max(fit_rested, std::min(fit, kRestedSamplesMin)), 1.0,
                                double(policy.samples)));
  return plan;
}

bool is_wanted(const std::string& metric, const Policy& policy) {
  const Metric* known = find_metric(metric);
  return known == nullptr || known->measurement.empty() ||
         std::ranges::find(policy.metrics, known->measurement) != policy.metrics.end();
}

/// A visit while it runs.
class Visit {
 public:
  Visit(Device& device, const PlaceSubject& place, const Policy& policy, bool is_host_timed)
      : device_(device),
        place_(place),
        policy_(policy),
        is_host_timed_(is_host_timed),
        begin_s_(device.now_s()),
        stopwatch_(device, launch_),
        sensors_(device) {}

  VisitSamples run() {
    stopwatch_.begin_visit();
    place_at(0);
    const bool is_held = !is_host_timed_ && device_.can_be_held(launch_);
    TimeMetrics found = device_.time_metrics(policy_, is_held);
    samples_.absent = std::move(found.absent);
    for (const TimeMetric& metric : found.metrics) {
      const double launch_s = warm_up(stopwatch_, metric, is_held, policy_);
      Track track{
          metric, plan_for(metric, is_held, launch_s, policy_), StoppingRule(policy_), {}, {}, {},
          {}};
      track.result.metric = metric.name;
      track.result.batch = track.plan.batch;
      track.result.floor_s = metric.timer == Timer::events ? device_.timer_floor().seconds : 0;
      tracks_.push_back(std::move(track));
    }
    for (std::int64_t block = 0; std::ranges::any_of(tracks_, is_running); ++block) {
      take_blocks(block);
      if (sensors_.are_due()) read_sensors();
    }
    read_sensors();
    for (Track& track : tracks_) finish(track);
    samples_.launching_s = stopwatch_.launching_s();
    return std::move(samples_);
  }

 private:
  static bool is_running(const Track& track) {
    return track.failure.empty() && !track.rule.is_finished();
  }

  /// The first launch is outside any hold: it loads code and makes handles, which waits for the
  /// device. It may also ask for scratch memory that later ones keep; with the second, what a
  /// launch allocates is what it will always allocate.
  void place_at(std::int64_t placement) {
    launch_ = place_(placement);
    for (int i = 0; i < 2; ++i) {
      const double begin_s = device_.now_s();
      device_.begin_launch();
      launch_();
      device_.synchronize();
      if (device_.now_s() - begin_s > kLongLaunch_s) return;
    }
  }

  void take_blocks(std::int64_t block) {
    const std::int64_t placement = placement_of(block, policy_);
    if (block > 0) place_at(placement);
    for (Track& track : tracks_)
      if (is_running(track)) take_block(track, placement);
    if (const std::string where = device_.overrun(); !where.empty()) {
      for (Track& track : tracks_) track.result.add_flag(kFlagGuardTouched);
    }
  }

  void take_block(Track& track, std::int64_t placement) {
    const double since_s = device_.now_s() - begin_s_;
    const BlockReading reading = stopwatch_.time_block(track.plan);
    if (reading.samples_s.empty() || !reading.failure.empty()) {
      track.failure = reading.failure.empty() ? "the timer gave no sample" : reading.failure;
      return;
    }
    const auto add_block = [&](MeasuredMetric& result, const std::vector<double>& samples) {
      result.samples.add_block(samples);
      result.block_times_s.push_back(since_s);
      result.block_clocks_hz.push_back(reading.clock_hz > 0 ? reading.clock_hz : kUnknown);
      result.block_placements.push_back(placement);
      if (reading.hold_expired) result.add_flag(kFlagHoldExpired);
      if (reading.has_allocated) result.add_flag(kFlagAllocation);
    };
    add_block(track.result, reading.samples_s);
    for (const Series& series : reading.beside) {
      auto found = std::ranges::find(track.beside, series.metric, &MeasuredMetric::metric);
      if (found == track.beside.end()) {
        found = track.beside.insert(found, MeasuredMetric{});
        found->metric = series.metric;
        found->batch = track.plan.batch;
      }
      add_block(*found, series.samples);
    }
    for (const auto& [name, value] : reading.timers_s) track.timers[name].push_back(value);
    if (samples_.kernels.empty()) samples_.kernels = reading.kernels;
    track.rule.add_block(median(reading.samples_s), reading.spent_s);
  }

  void read_sensors() {
    samples_.state = sensors_.read();
    for (Track& track : tracks_) {
      judge_blocks(track.result, *samples_.state);
      for (MeasuredMetric& measurement : track.beside) judge_blocks(measurement, *samples_.state);
    }
  }

  /// What events read beyond their own floor of launches that leave nothing to do.
  void refuse_nothing(Track& track) const {
    if (track.metric.timer != Timer::events || !track.failure.empty()) return;
    if (median(track.result.samples.values()) > 0) return;
    track.failure =
        "events around a launch read no more than around none: nothing ran between them";
  }

  void finish(Track& track) {
    refuse_nothing(track);
    if (!track.failure.empty()) {
      samples_.absent[track.metric.name] = track.failure;
      return;
    }
    for (const auto& [name, values] : track.timers) track.result.timers_s[name] = median(values);
    if (track.rule.relative_half_width() > std::max(policy_.precision, 0.01))
      track.result.add_flag(kFlagImprecise);
    track.beside.insert(track.beside.begin(), std::move(track.result));
    for (MeasuredMetric& measurement : track.beside) {
      if (!is_wanted(measurement.metric, policy_)) continue;
      for (const char* doubt : doubts_about(measurement, device_.timer_floor()))
        measurement.add_flag(doubt);
      samples_.measurements.push_back(std::move(measurement));
    }
  }

  Device& device_;
  const PlaceSubject& place_;
  const Policy& policy_;
  const bool is_host_timed_;
  const double begin_s_;
  Launch launch_;
  Stopwatch stopwatch_;
  std::vector<Track> tracks_;
  VisitSamples samples_;
  Sensors sensors_;
};

}  // namespace

VisitSamples sample_visit(Device& device, const PlaceSubject& place, const Policy& policy,
                          bool is_host_timed) {
  return Visit(device, place, policy, is_host_timed).run();
}

}  // namespace plumbline
