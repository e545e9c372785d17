#include "measure/sampler.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/run/metric.h"
#include "device/random.h"
#include "measure/blocks.h"
#include "measure/doubts.h"
#include "measure/novelty.h"
#include "measure/placements.h"
#include "measure/sensors.h"
#include "measure/stopping_rule.h"
#include "measure/warm_up.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr int kBatchMax = 64;
/// A small batch: each traced launch leaves records to read, and CUPTI's clock needs no long
/// batches.
constexpr int kTracedBatchMax = 8;
/// For launches this long, only one before each block fits into the time.
constexpr double kLongLaunch_s = 2e-3;
/// Up to this length, the evictions between launches even out the power. Longer launches rest in
/// proportion to the excess, so that a case's speed does not jump at a threshold.
constexpr double kRestBeyond_s = 100e-6;
constexpr double kRestedSamplesMin = 3;
/// Launches of a batched metric that are checked one by one.
constexpr int kLookedAt = 16;

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

/// Cold launches cannot be batched: the cache is evicted before each. Long launches get fewer
/// samples per block, so that blocks_min blocks fit the budget.
BlockPlan plan_for(const TimeMetric& metric, bool is_held, double launch_s, const Policy& policy) {
  BlockPlan plan{.cache = metric.cache, .timer = metric.timer, .samples = 1, .is_held = is_held};
  if (metric.cache == CacheState::hot)
    plan.batch = batch_for(launch_s, metric.timer == Timer::trace ? kTracedBatchMax : kBatchMax);
  if (metric.cache != CacheState::hot && is_held)
    plan.rest_s = policy.rest * std::max(launch_s - kRestBeyond_s, 0.0);
  const double fit = samples_that_fit(launch_s * plan.batch, policy);
  const double fit_rested = samples_that_fit(launch_s * plan.batch + plan.rest_s, policy);
  plan.samples = int(std::clamp(std::max(fit_rested, std::min(fit, kRestedSamplesMin)), 1.0,
                                double(policy.samples)));
  return plan;
}

bool is_wanted(const std::string& metric, const Policy& policy) {
  const Metric* known = find_metric(metric);
  return known == nullptr || known->measurement.empty() ||
         std::ranges::find(policy.metrics, known->measurement) != policy.metrics.end();
}

/// The sampling of one visit of a plain case: blocks of each metric in turn until every metric is
/// precise enough.
class Sampling {
 public:
  Sampling(Device& device, const PlaceSubject& place, const Policy& policy,
           const Scrutiny& scrutiny, HostTimed host_timed)
      : device_(device),
        place_(place),
        policy_(policy),
        scrutiny_(scrutiny),
        host_timed_(host_timed),
        begin_s_(device.now_s()),
        sensors_(device) {}

  VisitSamples run() {
    device_.begin_visit();
    samples_.launching_s = device_.now_s() - begin_s_;
    place_at(0, 0);
    const bool is_held = host_timed_ != HostTimed::alone && device_.can_be_held(launch_);
    TimeMetrics found = device_.time_metrics(policy_, is_held);
    if (is_held && host_timed_ == HostTimed::also)
      std::ranges::copy_if(device_.time_metrics(policy_, false).metrics,
                           std::back_inserter(found.metrics),
                           [](const TimeMetric& one) { return one.timer == Timer::host_clock; });
    samples_.absent = std::move(found.absent);
    for (const TimeMetric& metric : found.metrics) {
      const double launch_s = warm_up(metric, is_held);
      Track track{
          metric, plan_for(metric, is_held, launch_s, policy_), StoppingRule(policy_), {}, {}, {},
          {}};
      if (is_renewed_for_all()) track.plan.batch = 1;
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
    probe_hot_launches(is_held);
    for (Track& track : tracks_) finish(track);
    return std::move(samples_);
  }

 private:
  static std::uint64_t contents_of_sample(std::size_t track, std::int64_t block, int sample) {
    return contents_of(ContentsOf::sample, (std::uint64_t(track) << 48) |
                                               (std::uint64_t(block) << 24) |
                                               std::uint64_t(sample));
  }

  /// New contents before each cold sample; before others only poison. Others repeat their contents
  /// by definition, and probe_hot_launches() checks whether that makes them fast.
  BlockPlan with_scrutiny(BlockPlan plan, std::size_t track, std::int64_t block) {
    if (!scrutiny_) return plan;
    const bool is_cold = plan.cache != CacheState::hot || is_renewed_for_all();
    // In the middle of a GPU's block it would change what caches hold.
    const bool is_repeated_within = is_cold || !device_.is_cuda();
    const std::uint64_t of_block = contents_of_sample(track, block, 0);
    const int repeated = int(random_bits(scrutiny_.draw, of_block) % std::uint64_t(plan.samples));
    plan.around.before = [this, is_cold, track, block](int sample) {
      if (is_cold)
        scrutiny_.renew(contents_of_sample(track, block, sample));
      else
        scrutiny_.poison();
    };
    plan.around.after = [this, is_repeated_within, repeated](int sample) {
      scrutiny_.look();
      if (is_repeated_within && sample == repeated) repeat();
    };
    return plan;
  }

  /// For hot launches, which follow each other closely and repeat their contents.
  void probe_hot_launches(bool is_held) {
    const auto hot = std::ranges::find_if(tracks_, [](const Track& track) {
      return track.failure.empty() && track.metric.cache == CacheState::hot;
    });
    if (hot == tracks_.end() || !scrutiny_ || !scrutiny_.can_stage()) return;
    samples_.novelty = look_at_each(hot->plan);
    if (!samples_.novelty.empty()) return;
    const bool has_events = is_held && hot->metric.timer != Timer::host_clock;
    const double from_s = device_.now_s();
    samples_.novelty =
        faster_on_seen(device_, launch_, scrutiny_, is_held,
                       has_events ? Timer::events : Timer::host_clock, exposures(*hot));
    samples_.launching_s += device_.now_s() - from_s;
  }

  void repeat() {
    const double from_s = device_.now_s();
    scrutiny_.repeat();
    samples_.repeating_s += device_.now_s() - from_s;
  }

  /// How many launches of a block are on the same contents, including those that profit from it.
  static int exposures(const Track& track) {
    constexpr int kBeside = 4;  // at a new placement, and when a launch is repeated
    return track.plan.batch * track.plan.samples + kBeside;
  }

  bool is_renewed_for_all() const { return scrutiny_.is_renewed_for_all(device_.is_cuda()); }

  /// In a batch only the last launch was checked. Describes what launches one by one show; "":
  /// nothing.
  std::string look_at_each(BlockPlan plan) {
    if (plan.batch == 1) return "";
    plan.batch = 1;
    plan.samples = kLookedAt;
    if (plan.timer == Timer::trace) plan.timer = Timer::events;
    plan.around.before = [this](int) { scrutiny_.poison(); };
    plan.around.after = [this](int) { scrutiny_.look(); };
    time_block(plan);
    repeat();
    if (device_.is_cuda()) return "";  // the host cannot write to its results
    return faster_in_place(device_, launch_, scrutiny_, plan);
  }

  BlockReading time_block(const BlockPlan& plan) {
    const double from_s = device_.now_s(), repeated_s = samples_.repeating_s;
    BlockReading reading = device_.time_block(launch_, plan);
    samples_.launching_s += device_.now_s() - from_s - (samples_.repeating_s - repeated_s);
    return reading;
  }

  /// Launches until the device is warm. Returns the seconds of the fastest launch: a disturbed one
  /// must not decide the batch size.
  double warm_up(const TimeMetric& metric, bool is_held) {
    const bool has_events = is_held && metric.timer != Timer::host_clock;
    BlockPlan one{.cache = metric.cache,
                  .timer = has_events ? Timer::events : Timer::host_clock,
                  .samples = 1,
                  .is_held = is_held};
    if (scrutiny_ && (metric.cache != CacheState::hot || is_renewed_for_all()))
      one.around.before = [this](int) {
        scrutiny_.renew(contents_of(ContentsOf::warm_up, warming_launches_++));
      };
    double best_s = std::numeric_limits<double>::infinity();
    for (WarmUp rule(device_, policy_); !rule.is_over();) {
      const BlockReading reading = time_block(one);
      best_s = std::min(best_s, reading.samples_s.front());
      rule.add_launch(reading.clock_hz);
    }
    return best_s;
  }

  static bool is_running(const Track& track) {
    return track.failure.empty() && !track.rule.is_finished();
  }

  /// The first launch is outside any hold: it loads code and makes handles, which waits for the
  /// device. It may also allocate scratch memory that later launches keep. From the second launch
  /// on, allocations are always the same.
  void place_at(std::int64_t placement, std::int64_t block) {
    const double placing_s = device_.now_s();
    launch_ = place_(placement, contents_of(ContentsOf::placement, std::uint64_t(block)));
    for (int i = 0; i < 2; ++i) {
      const double begin_s = device_.now_s();
      device_.begin_launch();
      launch_();
      device_.synchronize();
      if (block == 0 && i == 0) samples_.loading_s = device_.now_s() - placing_s;
      if (device_.now_s() - begin_s > kLongLaunch_s) return;
    }
  }

  void take_blocks(std::int64_t block) {
    const std::int64_t placement = placement_of(block, policy_);
    if (block > 0) place_at(placement, block);
    for (std::size_t i = 0; i < tracks_.size(); ++i)
      if (is_running(tracks_[i])) take_block(i, block, placement);
    if (const std::string where = device_.overrun(); !where.empty()) {
      for (Track& track : tracks_) track.result.add_flag(kFlagGuardTouched);
    }
  }

  void take_block(std::size_t index, std::int64_t block, std::int64_t placement) {
    Track& track = tracks_[index];
    const double since_s = device_.now_s() - begin_s_;
    const BlockReading reading = time_block(with_scrutiny(track.plan, index, block));
    if (scrutiny_ && device_.is_cuda() && track.plan.cache == CacheState::hot) repeat();
    track.failure = failure_of(reading.samples_s, reading.failure);
    if (!track.failure.empty()) return;
    add_block(track.result, reading.samples_s, since_s, placement, reading);
    for (const MetricSamples& series : reading.beside) {
      auto found = std::ranges::find(track.beside, series.metric, &MeasuredMetric::metric);
      if (found == track.beside.end()) {
        found = track.beside.insert(found, MeasuredMetric{});
        found->metric = series.metric;
        found->batch = track.plan.batch;
      }
      add_block(*found, series.samples, since_s, placement, reading);
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

  /// Refuses launches that leave the device nothing to do: their events read only their own floor.
  void refuse_nothing(Track& track) const {
    if (track.metric.timer != Timer::events || !track.failure.empty()) return;
    if (median(track.result.samples.values()) > 0) return;
    track.failure =
        "the launch did no work on the GPU: its events read the same as without a launch";
  }

  void finish(Track& track) {
    refuse_nothing(track);
    if (!track.failure.empty()) {
      samples_.absent[track.metric.name] = track.failure;
      return;
    }
    for (const auto& [name, values] : track.timers) track.result.timers_s[name] = median(values);
    if (track.rule.is_imprecise()) track.result.add_flag(kFlagImprecise);
    track.beside.insert(track.beside.begin(), std::move(track.result));
    for (MeasuredMetric& measurement : track.beside) {
      if (!is_wanted(measurement.metric, policy_)) continue;
      flag_doubts(measurement, device_.timer_floor());
      samples_.measurements.push_back(std::move(measurement));
    }
  }

  Device& device_;
  const PlaceSubject& place_;
  const Policy& policy_;
  const Scrutiny& scrutiny_;
  const HostTimed host_timed_;
  const double begin_s_;
  Launch launch_;
  std::vector<Track> tracks_;
  std::uint64_t warming_launches_ = 0;
  VisitSamples samples_;
  Sensors sensors_;
};

}  // namespace

VisitSamples sample_visit(Device& device, const PlaceSubject& place, const Policy& policy,
                          const Scrutiny& scrutiny, HostTimed host_timed) {
  return Sampling(device, place, policy, scrutiny, host_timed).run();
}

}  // namespace plumbline
