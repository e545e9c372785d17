#include "measure/stream_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "measure/flags.h"
#include "support/scripted_device.h"
#include "support/scripted_streams.h"

namespace plumbline {
namespace {

struct Scene {
  ScriptedDevice device;
  ScriptedStreams streams;
  StreamSetup setup{.count = 4};
  Policy policy = policy_of_tests();
  StreamSample sample{
      .makespan_s = 40e-6, .alone_s = 20e-6, .latencies_s = {10e-6, 20e-6, 30e-6, 40e-6}};
  std::vector<std::int64_t> placed;
  std::vector<std::pair<int, int>> launched;  // instance, stream

  Scene() {
    policy.warmup_s = 0;
    streams.reading = [this](int, const StreamPlan& plan) { return reading_of(plan); };
  }

  StreamReading reading_of(const StreamPlan& plan) const {
    StreamReading reading;
    reading.samples.assign(std::size_t(plan.samples), sample);
    reading.spent_s = sample.makespan_s * plan.samples * plan.batch;
    reading.clock_hz = 1.9e9;
    return reading;
  }

  VisitSamples run() {
    return sample_streams(
        device, streams, setup,
        [this](std::int64_t placement) {
          placed.push_back(placement);
          return [this](int instance, int stream) { launched.emplace_back(instance, stream); };
        },
        policy);
  }
};

const MeasuredMetric& named(const VisitSamples& visit, const std::string& metric) {
  return *std::ranges::find(visit.measurements, metric, &MeasuredMetric::metric);
}

std::vector<std::string> names_of(const VisitSamples& visit) {
  std::vector<std::string> names;
  for (const MeasuredMetric& measurement : visit.measurements) names.push_back(measurement.metric);
  return names;
}

TEST(StreamSampler, TheKernelsOfATracedForkJoinAreTold) {
  Scene scene;
  scene.streams.reading = [&](int block, const StreamPlan& plan) {
    StreamReading reading = scene.reading_of(plan);
    reading.kernels = block < 10 ? R"([{"name": "k"}])" : R"([{"name": "later"}])";
    return reading;
  };
  EXPECT_EQ(scene.run().kernels, R"([{"name": "k"}])");
  Scene untraced;
  EXPECT_EQ(untraced.run().kernels, "");
}

TEST(StreamSampler, SpeedupIsWhatTheInstancesTakeInTurnOverTheMakespan) {
  Scene scene;
  const VisitSamples visit = scene.run();
  EXPECT_EQ(names_of(visit), (std::vector<std::string>{"makespan", "stream_latency", "speedup",
                                                       "stream_efficiency"}));
  EXPECT_DOUBLE_EQ(named(visit, "makespan").samples.values()[0], 40e-6);
  EXPECT_DOUBLE_EQ(named(visit, "speedup").samples.values()[0], 2);  // 4 × 20 us / 40 us
  EXPECT_DOUBLE_EQ(named(visit, "stream_efficiency").samples.values()[0], 0.5);
  EXPECT_DOUBLE_EQ(named(visit, "makespan").timers_s.at("alone"), 20e-6);
  EXPECT_DOUBLE_EQ(named(visit, "makespan").floor_s, 2e-6);
}

TEST(StreamSampler, WhatDerivesFromAMakespanBelowTheFloorIsFlaggedToo) {
  Scene scene;
  scene.sample.makespan_s = -1e-9;
  const VisitSamples visit = scene.run();
  for (const char* const metric : {"makespan", "speedup", "stream_efficiency"})
    EXPECT_TRUE(std::ranges::count(named(visit, metric).flags, kFlagBelowTimer)) << metric;
  EXPECT_FALSE(std::ranges::count(named(visit, "stream_latency").flags, kFlagBelowTimer));
  scene.sample.makespan_s = 0;
  EXPECT_TRUE(std::ranges::count(named(scene.run(), "speedup").flags, kFlagNotFinite));
}

TEST(StreamSampler, EveryStreamsLatencyIsKeptInTheOrderOfTheStreams) {
  Scene scene;
  const VisitSamples visit = scene.run();
  const auto block = named(visit, "stream_latency").samples.block(0);
  ASSERT_EQ(block.size(), 40u);
  EXPECT_DOUBLE_EQ(block[4], 10e-6);
  EXPECT_DOUBLE_EQ(block[7], 40e-6);
}

TEST(StreamSampler, ASingleStreamHasNoSpeedup) {
  Scene scene;
  scene.setup.count = 1;
  EXPECT_EQ(names_of(scene.run()), (std::vector<std::string>{"makespan", "stream_latency"}));
}

TEST(StreamSampler, ABackgroundLoadSlowsByTheMakespanOverTheQuietOne) {
  Scene scene;
  scene.setup = {.count = 1, .background = 0.5};
  scene.sample.quiet_s = 10e-6;
  const VisitSamples visit = scene.run();
  EXPECT_DOUBLE_EQ(named(visit, "background_slowdown").samples.values()[0], 4);
  EXPECT_DOUBLE_EQ(named(visit, "makespan").timers_s.at("quiet"), 10e-6);
}

TEST(StreamSampler, BranchesOfAGraphHaveNoLatencyAndTheVisitSaysWhy) {
  Scene scene;
  scene.setup.is_graph = true;
  const VisitSamples visit = scene.run();
  EXPECT_EQ(visit.absent.count("stream_latency"), 1u);
  EXPECT_EQ(names_of(visit),
            (std::vector<std::string>{"makespan", "speedup", "stream_efficiency"}));
}

TEST(StreamSampler, ATracedVisitHasTheSpanOfItsTimeStampsAndTheOverlap) {
  Scene scene;
  scene.streams.has_trace = true;
  scene.sample.activities = {{1, 1000, 9000}, {2, 3000, 11000}};
  const VisitSamples visit = scene.run();
  EXPECT_EQ(names_of(visit), std::vector<std::string>{"kernel_span_hot"});
  const MeasuredMetric& span = visit.measurements.front();
  EXPECT_DOUBLE_EQ(span.samples.values()[0], 10e-6);
  EXPECT_DOUBLE_EQ(span.timers_s.at("overlap"), 1.6);
  EXPECT_EQ(span.floor_s, 0);
}

TEST(StreamSampler, ShortForkJoinsAreBatchedAsFarAsTheQueuesReach) {
  Scene scene;
  scene.sample.makespan_s = 7e-6;
  EXPECT_EQ(scene.run().measurements[0].batch, 29);  // 200 us / 7 us
  scene.setup.count = 64;
  EXPECT_EQ(scene.run().measurements[0].batch, 4);  // 256 launches in one hold
  scene.setup.count = 128;
  scene.sample.makespan_s = 40e-6;
  EXPECT_EQ(scene.run().measurements[0].batch, 1);
}

TEST(StreamSampler, TheFirstLaunchesAtEachPlacementAreNotTimedAndHaveBothWays) {
  Scene scene;
  scene.setup.count = 2;
  scene.policy.blocks_min = scene.policy.blocks_max = 2;
  scene.run();
  EXPECT_EQ(scene.placed, (std::vector<std::int64_t>{0, 1}));
  const std::vector<std::pair<int, int>> once{{0, 0}, {1, 1}, {0, 0}, {1, 0}};
  std::vector<std::pair<int, int>> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(scene.launched, twice);
}

TEST(StreamSampler, SomePlacementsAreVisitedTwice) {
  Scene scene;
  scene.policy.blocks_min = scene.policy.blocks_max = 16;
  const VisitSamples visit = scene.run();
  EXPECT_EQ(scene.placed[7], 3);
  EXPECT_EQ(scene.placed[8], 8);
  EXPECT_EQ(scene.placed[15], 11);
  EXPECT_EQ(named(visit, "makespan").block_placements, scene.placed);
}

TEST(StreamSampler, WarmsUpOnUntilTheClockIsStable) {
  Scene scene;
  scene.streams.reading = [&scene](int block, const StreamPlan& plan) {
    StreamReading reading = scene.reading_of(plan);
    reading.clock_hz = block < 20 ? 1.2e9 + 2e7 * block : 1.9e9;
    scene.device.pass(1e-3);
    return reading;
  };
  scene.run();
  const auto is_warmup = [](const StreamPlan& plan) { return plan.samples == 1; };
  EXPECT_EQ(std::ranges::count_if(scene.streams.plans, is_warmup), 25);
}

TEST(StreamSampler, ABlockThatFailsLeavesNoMetricAndSaysWhy) {
  Scene scene;
  scene.streams.reading = [&scene](int block, const StreamPlan& plan) {
    StreamReading reading = scene.reading_of(plan);
    if (block == 6) reading.failure = "the background load ended";
    return reading;
  };
  const VisitSamples visit = scene.run();
  EXPECT_TRUE(visit.measurements.empty());
  EXPECT_EQ(visit.absent.at("makespan"), "the background load ended");
  EXPECT_EQ(visit.absent.at("speedup"), "the background load ended");
}

TEST(StreamSampler, DoubtsAboutAReadingBecomeFlagsOfEveryMetric) {
  Scene scene;
  scene.streams.reading = [&scene](int block, const StreamPlan& plan) {
    StreamReading reading = scene.reading_of(plan);
    reading.hold_expired = block == 5;
    reading.has_allocated = block == 6;
    return reading;
  };
  for (const MeasuredMetric& measurement : scene.run().measurements)
    EXPECT_EQ(measurement.flags, (std::vector<std::string>{kFlagHoldExpired, kFlagAllocation}));
}

TEST(StreamSampler, ThePrecisionOfTheMakespanEndsTheVisit) {
  Scene scene;
  EXPECT_EQ(scene.run().measurements[0].samples.blocks(), 8u);
  Scene noisy;
  noisy.streams.reading = [&noisy](int block, const StreamPlan& plan) {
    noisy.sample.makespan_s = block % 2 == 0 ? 40e-6 : 50e-6;
    return noisy.reading_of(plan);
  };
  EXPECT_EQ(noisy.run().measurements[0].samples.blocks(), 32u);
}

}  // namespace
}  // namespace plumbline
