#include "measure/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "measure/flags.h"
#include "support/scripted_device.h"

namespace plumbline {
namespace {

bool has_flag(const MeasuredMetric& measurement, const char* flag) {
  return std::ranges::find(measurement.flags, std::string(flag)) != measurement.flags.end();
}

TEST(Replay, AGraphHoldsAboutTwoHundredMicrosecondsOfLaunchesAndNeverMoreThan64) {
  EXPECT_EQ(launches_per_graph(1e-3), 1);
  EXPECT_EQ(launches_per_graph(15e-6), 14);
  EXPECT_EQ(launches_per_graph(1e-6), 64);
  EXPECT_EQ(launches_per_graph(0), 64);
  EXPECT_EQ(launches_per_graph(-1e-7), 64);
}

TEST(Replay, SamplesArePerLaunchOfTheGraph) {
  ScriptedDevice device;
  device.floor_s = 3e-6;
  device.reading = [](int, const BlockPlan& plan) { return constant_reading(240e-6, plan); };
  int replays = 0;
  const MeasuredMetric result = sample_replays(device, [&] { ++replays; }, 20, CacheState::hot, {});
  EXPECT_EQ(result.metric, "graph_time");
  EXPECT_EQ(result.batch, 20);
  EXPECT_DOUBLE_EQ(result.floor_s, 3e-6);
  EXPECT_EQ(result.samples.blocks(), 8u);
  for (const double sample : result.samples.values()) EXPECT_DOUBLE_EQ(sample, 12e-6);
  EXPECT_GT(replays, 8);
}

TEST(Replay, FewReplaysWaitBehindAHold) {
  ScriptedDevice device;
  device.reading = [](int, const BlockPlan& plan) { return constant_reading(200e-6, plan); };
  sample_replays(device, [] {}, 1, CacheState::hot, {});
  for (const BlockPlan& plan : device.plans) {
    EXPECT_LE(plan.samples, 4);
    EXPECT_EQ(plan.batch, 1);
    EXPECT_EQ(plan.timer, Timer::events);
  }
}

TEST(Replay, AColdGraphHasAnEvictionBeforeEachReplayAndAMetricOfItsOwn) {
  ScriptedDevice device;
  device.reading = [](int, const BlockPlan& plan) { return constant_reading(200e-6, plan); };
  const MeasuredMetric result = sample_replays(device, [] {}, 1, CacheState::cold, {});
  EXPECT_EQ(result.metric, "graph_time_cold");
  ASSERT_FALSE(device.plans.empty());
  for (const BlockPlan& plan : device.plans) EXPECT_EQ(plan.cache, CacheState::cold);
}

TEST(Replay, LongGraphsStayWithinTheBudget) {
  ScriptedDevice device;
  device.reading = [](int, const BlockPlan& plan) { return constant_reading(9e-3, plan); };
  const MeasuredMetric result = sample_replays(device, [] {}, 1, CacheState::hot, {});
  EXPECT_EQ(result.samples.blocks(), 8u);
  EXPECT_EQ(result.samples.values().size(), 8u);
}

TEST(Replay, AHoldThatRanOutIsAFlag) {
  ScriptedDevice device;
  device.reading = [](int block, const BlockPlan& plan) {
    BlockReading reading = constant_reading(240e-6, plan);
    reading.hold_expired = block == 3;
    return reading;
  };
  Policy policy;
  policy.warmup_s = 0;
  EXPECT_TRUE(has_flag(sample_replays(
                           device, [] {}, 20, CacheState::hot, policy),
                       kFlagHoldExpired));
}

TEST(Replay, BlocksGoOnWhileTheirMediansScatter) {
  ScriptedDevice device;
  device.reading = [](int block, const BlockPlan& plan) {
    return constant_reading(block % 2 == 0 ? 240e-6 : 260e-6, plan);
  };
  Policy policy;
  policy.blocks_max = 12;
  const MeasuredMetric result = sample_replays(
      device, [] {}, 20, CacheState::hot, policy);
  EXPECT_EQ(result.samples.blocks(), 12u);
  EXPECT_TRUE(has_flag(result, kFlagImprecise));
}

}  // namespace
}  // namespace plumbline
