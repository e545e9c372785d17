#include "measure/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/flags.h"
#include "unit/measure/sampled_visit.h"

namespace plumbline {
namespace {

TEST(Sampler, EqualBlocksEndTheVisitAtTheFewestBlocks) {
  SampledVisit scene;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  const auto results = scene.run();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].metric, "gpu_time_cold");
  EXPECT_EQ(results[0].samples.blocks(), 8u);
  EXPECT_EQ(results[0].samples.block(7).size(), 10u);
  EXPECT_TRUE(results[0].flags.empty());
}

TEST(Sampler, EveryBlockLiesAtAPlacementOfItsOwn) {
  SampledVisit scene;
  scene.policy.revisit = 0;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  scene.run();
  EXPECT_EQ(scene.placed, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Sampler, NoisyBlocksGoOnToTheMostBlocksAndSaySo) {
  SampledVisit scene;
  scene.device.reading = [](int block, const BlockPlan& plan) {
    return constant_reading(block % 2 == 0 ? 1e-5 : 1.2e-5, plan);
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].samples.blocks(), 32u);
  EXPECT_EQ(results[0].flags, (std::vector<std::string>{kFlagImprecise, kFlagBimodal}));
}

TEST(Sampler, TheBudgetEndsALongVisitOnceItHasTheFewestBlocks) {
  SampledVisit scene;
  scene.device.reading = [](int block, const BlockPlan& plan) {
    return constant_reading(block % 2 == 0 ? 5e-3 : 6e-3, plan);
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].samples.blocks(), 8u);
  EXPECT_EQ(results[0].samples.block(0).size(), 2u);  // 80 ms / 8 blocks / 5 ms
}

TEST(Sampler, ALaunchLongerThanTheBudgetStillGetsOneSampleABlock) {
  SampledVisit scene;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(2.0, plan); };
  const auto results = scene.run();
  EXPECT_EQ(results[0].samples.blocks(), 8u);
  EXPECT_EQ(results[0].samples.values().size(), 8u);
}

TEST(Sampler, ShortHotLaunchesAreBatchedAndColdOnesNever) {
  SampledVisit scene;
  scene.device.metrics = {{"gpu_time_cold", CacheState::cold, Timer::events},
                          {"gpu_time_hot", CacheState::hot, Timer::events}};
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(6e-6, plan); };
  const auto results = scene.run();
  EXPECT_EQ(results[0].batch, 1);
  EXPECT_EQ(results[1].batch, 34);  // 200 us / 6 us
}

TEST(Sampler, AFinishedMetricStopsWhileTheOtherGoesOn) {
  SampledVisit scene;
  scene.device.metrics = {{"gpu_time_cold", CacheState::cold, Timer::events},
                          {"gpu_time_hot", CacheState::hot, Timer::events}};
  scene.device.reading = [](int block, const BlockPlan& plan) {
    const bool is_noisy = plan.cache == CacheState::cold;
    return constant_reading(is_noisy && block % 4 < 2 ? 3.5e-5 : 3e-5, plan);
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].samples.blocks(), 32u);
  EXPECT_EQ(results[1].samples.blocks(), 8u);
}

TEST(Sampler, EachVisitHasTheFloorThatIsReadAtItsBeginning) {
  SampledVisit scene;
  scene.device.floor_s = 3e-6;
  scene.device.floor_drift_s = 0.1e-6;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  EXPECT_DOUBLE_EQ(scene.run()[0].floor_s, 3.1e-6);
  EXPECT_DOUBLE_EQ(scene.run()[0].floor_s, 3.2e-6);
}

TEST(Sampler, ALaunchThatWaitsForTheDeviceIsMeasuredByWallTime) {
  SampledVisit scene;
  scene.device.is_holdable = false;
  scene.device.floor_s = 3e-6;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  const auto results = scene.run();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].metric, "wall_time");
  EXPECT_EQ(results[0].floor_s, 0);
  EXPECT_TRUE(std::ranges::all_of(scene.device.plans,
                                  [](auto& plan) { return plan.timer == Timer::host_clock; }));
}

TEST(Sampler, WhatTheHostTimesHasWallTimeAndIsNeverHeldThoughItCouldBe) {
  SampledVisit scene;
  scene.host_timed = HostTimed::alone;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-6, plan); };
  const auto results = scene.run();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].metric, "wall_time");
  EXPECT_EQ(results[0].batch, 64);
  EXPECT_EQ(scene.device.probes, 0);
  EXPECT_TRUE(std::ranges::all_of(scene.device.plans, [](auto& plan) {
    return plan.timer == Timer::host_clock && !plan.is_held;
  }));
}

TEST(Sampler, WhatTheHostTimesAlsoHasBothTimes) {
  SampledVisit scene;
  scene.host_timed = HostTimed::also;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  const auto results = scene.run();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].metric, "gpu_time_cold");
  EXPECT_EQ(results[1].metric, "wall_time");
  scene.device.is_holdable = false;  // once
  EXPECT_EQ(scene.run().size(), 1u);
}

TEST(Sampler, LaunchesThatLeaveNothingToDoHaveNoTimeByEvents) {
  for (const double seconds : {-1e-6, 0.0, 1e-9}) {
    SampledVisit scene;
    scene.device.reading = [=](int, const BlockPlan& plan) {
      return constant_reading(seconds, plan);
    };
    const VisitSamples found = scene.visit();
    EXPECT_EQ(found.measurements.size(), seconds > 0 ? 1u : 0u) << seconds;
    if (seconds <= 0) {
      EXPECT_EQ(found.absent.at("gpu_time_cold"),
                "the launch did no work on the GPU: its events read the same as without a launch");
    }
  }
}

TEST(Sampler, DoubtsAboutAReadingBecomeFlags) {
  SampledVisit scene;
  scene.device.reading = [](int block, const BlockPlan& plan) {
    BlockReading reading = constant_reading(1e-4, plan);
    reading.hold_expired = block == kWarmupBlocks + 1;
    reading.has_allocated = block == kWarmupBlocks + 2;
    reading.clock_hz = block == kWarmupBlocks + 3 ? 1.5e9 : 1.9e9;
    if (block == kWarmupBlocks + 4) reading.samples_s[0] = -1e-7;
    return reading;
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].flags, (std::vector<std::string>{kFlagHoldExpired, kFlagAllocation,
                                                        kFlagUnstableClock, kFlagBelowTimer}));
}

TEST(Sampler, WarmsUpForTheTimeThatThePolicyAsks) {
  SampledVisit scene;
  scene.policy.warmup_s = 0.095;
  scene.device.tick_s = 0.01;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  scene.run();
  const auto is_warmup = [](const BlockPlan& plan) { return plan.samples == 1; };
  EXPECT_EQ(std::ranges::count_if(scene.device.plans, is_warmup), 10);
}

TEST(Sampler, ADisturbedWarmUpLaunchDoesNotDecideTheBatch) {
  SampledVisit scene;
  scene.device.metrics = {{"gpu_time_hot", CacheState::hot, Timer::events}};
  scene.device.reading = [](int block, const BlockPlan& plan) {
    return constant_reading(block == 2 ? 0.02 : 3.9e-6, plan);
  };
  EXPECT_EQ(scene.run()[0].batch, 52);
}

TEST(Sampler, EveryEighthBlockVisitsAnEarlierPlacementAgain) {
  SampledVisit scene;
  scene.device.reading = [](int block, const BlockPlan& plan) {
    return constant_reading(block % 2 == 0 ? 1e-5 : 1.2e-5, plan);
  };
  const auto results = scene.run();
  ASSERT_EQ(scene.placed.size(), 32u);
  EXPECT_EQ(scene.placed[7], 3);
  EXPECT_EQ(scene.placed[15], 11);
  EXPECT_EQ(scene.placed[8], 8);
  EXPECT_EQ(results[0].block_placements, scene.placed);
}

TEST(Sampler, WarmsUpOnUntilTheClockIsStable) {
  SampledVisit scene;
  scene.device.reading = [](int block, const BlockPlan& plan) {
    BlockReading reading = constant_reading(1e-4, plan);
    if (block < 30) reading.clock_hz = 1.2e9 + 2e7 * block;  // rises by more than 1 % in 5 blocks
    return reading;
  };
  scene.run();
  const auto is_warmup = [](const BlockPlan& plan) { return plan.samples == 1; };
  EXPECT_EQ(std::ranges::count_if(scene.device.plans, is_warmup), 35);
}

TEST(Sampler, AClockThatNeverSettlesIsMeasuredAsItIs) {
  SampledVisit scene;
  scene.policy.warmup_max_s = 0.05;
  scene.device.reading = [](int block, const BlockPlan& plan) {
    BlockReading reading = constant_reading(1e-4, plan);
    reading.clock_hz = block % 2 == 0 ? 1.4e9 : 1.9e9;
    return reading;
  };
  const auto results = scene.run();
  const auto is_warmup = [](const BlockPlan& plan) { return plan.samples == 1; };
  EXPECT_EQ(std::ranges::count_if(scene.device.plans, is_warmup), 50);
  EXPECT_EQ(results[0].flags, std::vector<std::string>{kFlagUnstableClock});
}

TEST(Sampler, LongColdLaunchesRestAndShortOrHotOnesDoNot) {
  SampledVisit scene;
  scene.device.metrics = {{"gpu_time_cold", CacheState::cold, Timer::events},
                          {"gpu_time_hot", CacheState::hot, Timer::events}};
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1.1e-3, plan); };
  scene.run();
  for (const BlockPlan& plan : scene.device.plans) {
    if (plan.samples == 1) continue;  // warming up
    EXPECT_NEAR(plan.rest_s, plan.cache == CacheState::cold ? 3e-3 : 0, 1e-9);
  }
  SampledVisit quick;
  quick.device.reading = [](int, const BlockPlan& plan) { return constant_reading(9e-5, plan); };
  quick.run();
  EXPECT_EQ(quick.device.plans.back().rest_s, 0);
}

TEST(Sampler, BlocksDisturbedFromOutsideAreKeptAndNamed) {
  SampledVisit scene;
  scene.device.tick_s = 0.06;  // the sensors are read after every block
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  int asked = 0;
  scene.device.sensors = [&asked](double) {
    DeviceState state{};
    if (asked++ == 2) state.throttle = "hw_thermal";
    return state;
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].samples.blocks(), 8u);
  EXPECT_EQ(results[0].block_causes[2], "thermal");
  EXPECT_EQ(std::ranges::count(results[0].block_causes, ""), 7);
  EXPECT_EQ(results[0].flags, std::vector<std::string>{kFlagSetAside});
}

TEST(Sampler, AReadingJudgesTheBlocksSinceTheOneBeforeIt) {
  for (const double tick_s : {0.015, 1e-6}) {
    SampledVisit scene;
    scene.device.tick_s = tick_s;
    scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
    std::vector<double> asked_s;
    scene.device.sensors = [&](double now_s) {
      DeviceState state{};
      if (asked_s.empty()) state.throttle = "hw_thermal";
      asked_s.push_back(now_s);
      return state;
    };
    const auto results = scene.run();
    const auto first = std::ranges::count(results[0].block_causes, "thermal");
    ASSERT_EQ(results[0].block_causes.size(), 8u);
    EXPECT_EQ(std::ranges::find(results[0].block_causes, "") - results[0].block_causes.begin(),
              first);
    if (tick_s > 1e-3)  // the first blocks are set aside, later ones are not
      EXPECT_TRUE(first > 0 && first < 8 && asked_s.size() > 1) << first;
    else  // a short visit is checked once, at its end
      EXPECT_TRUE(first == 8 && asked_s.size() == 1) << first;
  }
}

TEST(Sampler, AForeignProcessIsAFlagAndSetsNothingAside) {
  SampledVisit scene;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  scene.device.sensors = [](double) {
    DeviceState state{};
    state.has_foreign_process = true;
    return state;
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].flags, std::vector<std::string>{kFlagForeignProcess});
  EXPECT_EQ(std::ranges::count(results[0].block_causes, ""), 8);
}

TEST(Sampler, MemoryWrittenOutOfBoundsIsAFlag) {
  SampledVisit scene;
  scene.device.written_outside = "after an allocation of 4096 bytes";
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  EXPECT_EQ(scene.run()[0].flags, std::vector<std::string>{kFlagGuardTouched});
}

TEST(Sampler, ATimerThatFailsLeavesItsMetricOutWithTheReason) {
  SampledVisit scene;
  scene.device.metrics = {{"kernel_time_cold", CacheState::cold, Timer::trace},
                          {"kernel_time_hot", CacheState::hot, Timer::trace}};
  scene.device.absent = {{"kernel_time_cold_write", "not today"}};
  scene.device.reading = [](int, const BlockPlan& plan) {
    BlockReading reading = constant_reading(1e-4, plan);
    const bool is_trace = plan.timer == Timer::trace;
    if (is_trace && plan.cache == CacheState::cold) reading.failure = "CUPTI lost 3 records";
    return reading;
  };
  const VisitSamples samples = scene.visit();
  ASSERT_EQ(samples.measurements.size(), 1u);
  EXPECT_EQ(samples.measurements[0].metric, "kernel_time_hot");
  EXPECT_EQ(samples.absent.at("kernel_time_cold"), "CUPTI lost 3 records");
  EXPECT_EQ(samples.absent.at("kernel_time_cold_write"), "not today");
}

TEST(Sampler, MetricsBesideAreKeptWhereThePolicyAsksForThem) {
  SampledVisit scene;
  scene.device.reading = [](int, const BlockPlan& plan) {
    BlockReading reading = constant_reading(1e-4, plan);
    reading.beside = {{"host_time", std::vector<double>(reading.samples_s.size(), 5e-6)}};
    return reading;
  };
  EXPECT_EQ(scene.run().size(), 1u);
  scene.policy.metrics = {"host_time"};
  const auto results = scene.run();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].metric, "host_time");
  EXPECT_EQ(results[0].samples.block(0)[0], 5e-6);
}

}  // namespace
}  // namespace plumbline
