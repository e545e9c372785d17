#include "measure/replay.h"

#include <algorithm>
#include <cmath>

#include "measure/blocks.h"
#include "measure/doubts.h"
#include "measure/sensors.h"
#include "measure/stopping_rule.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr double kGraphTarget_s = 200e-6;
constexpr int kLaunchesMax = 64;
/// Few, so that no driver queue fills up while the stream is held.
constexpr int kReplaysMax = 4;

/// Replays until the warm-up is over; returns the seconds of the fastest replay.
double warm_up(Device& device, const Launch& replay, const BlockPlan& one, const Policy& policy) {
  const double begin_s = device.now_s();
  double best_s = device.time_block(replay, one).samples_s.front();
  while (device.now_s() - begin_s < policy.warmup_s)
    best_s = std::min(best_s, device.time_block(replay, one).samples_s.front());
  return best_s;
}

}  // namespace

int launches_per_graph(double launch_s) {
  if (!(launch_s > 0)) return kLaunchesMax;
  return int(std::clamp(std::ceil(kGraphTarget_s / launch_s), 1.0, double(kLaunchesMax)));
}

MeasuredMetric sample_replays(Device& device, const Launch& replay, int launches, CacheState cache,
                              const Policy& policy) {
  const double begin_s = device.now_s();
  BlockPlan plan{.cache = cache, .timer = Timer::events, .samples = 1, .batch = 1};
  const double replay_s = std::max(warm_up(device, replay, plan, policy), 1e-9);
  const TimerFloor floor = device.timer_floor();
  const double fit = policy.budget_s / double(policy.blocks_min) / replay_s;
  plan.samples = int(std::clamp(fit, 1.0, double(kReplaysMax)));
  MeasuredMetric result;
  result.metric = cache == CacheState::hot ? "graph_time" : "graph_time_cold";
  result.batch = launches;
  result.floor_s = floor.seconds;
  StoppingRule rule(policy);
  Sensors sensors(device);
  while (!rule.is_finished()) {
    const double since_s = device.now_s() - begin_s;
    const BlockReading reading = device.time_block(replay, plan);
    std::vector<double> samples_s = reading.samples_s;
    for (double& sample : samples_s) sample /= launches;
    add_block(result, samples_s, since_s, 0, reading);
    rule.add_block(median(samples_s), reading.spent_s);
    if (sensors.are_due()) judge_blocks(result, sensors.read());
  }
  judge_blocks(result, sensors.read());
  if (rule.is_imprecise()) result.add_flag(kFlagImprecise);
  flag_doubts(result, floor);
  return result;
}

}  // namespace plumbline
