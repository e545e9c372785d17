#include "measure/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/scripted_device.h"

namespace plumbline {
namespace {

struct Scene {
  ScriptedDevice device;
  Policy policy;
  std::vector<std::int64_t> placed;
  int launches = 0;

  std::vector<Measurement> run() {
    return sample_visit(
               device,
               [this](std::int64_t block) {
                 placed.push_back(block);
                 return Launch([this] { ++launches; });
               },
               policy)
        .measurements;
  }
};

TEST(Sampler, EqualBlocksEndTheVisitAtTheFewestBlocks) {
  Scene scene;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  const auto results = scene.run();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].metric, "gpu_time_cold");
  EXPECT_EQ(results[0].samples.blocks(), 8u);
  EXPECT_EQ(results[0].samples.block(7).size(), 10u);
  EXPECT_TRUE(results[0].flags.empty());
}

TEST(Sampler, EveryBlockLiesAtAPlacementOfItsOwn) {
  Scene scene;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  scene.run();
  EXPECT_EQ(scene.placed, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Sampler, NoisyBlocksGoOnToTheMostBlocksAndSaySo) {
  Scene scene;
  scene.device.reading = [](int block, const BlockPlan& plan) {
    return constant_reading(block % 2 == 0 ? 1e-5 : 1.2e-5, plan);
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].samples.blocks(), 32u);
  EXPECT_EQ(results[0].flags, std::vector<std::string>{kFlagImprecise});
}

TEST(Sampler, TheBudgetEndsALongVisitOnceItHasTheFewestBlocks) {
  Scene scene;
  scene.device.reading = [](int block, const BlockPlan& plan) {
    return constant_reading(block % 2 == 0 ? 5e-3 : 6e-3, plan);
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].samples.blocks(), 8u);
  EXPECT_EQ(results[0].samples.block(0).size(), 2u);  // 80 ms / 8 blocks / 5 ms
}

TEST(Sampler, ALaunchLongerThanTheBudgetStillGetsOneSampleABlock) {
  Scene scene;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(2.0, plan); };
  const auto results = scene.run();
  EXPECT_EQ(results[0].samples.blocks(), 8u);
  EXPECT_EQ(results[0].samples.values().size(), 8u);
}

TEST(Sampler, ShortHotLaunchesAreBatchedAndColdOnesNever) {
  Scene scene;
  scene.device.metrics = {{"gpu_time_cold", CacheState::cold, false},
                          {"gpu_time_hot", CacheState::hot, false}};
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(6e-6, plan); };
  const auto results = scene.run();
  EXPECT_EQ(results[0].batch, 1);
  EXPECT_EQ(results[1].batch, 34);  // 200 us / 6 us
}

TEST(Sampler, AFinishedMetricStopsWhileTheOtherGoesOn) {
  Scene scene;
  scene.device.metrics = {{"gpu_time_cold", CacheState::cold, false},
                          {"gpu_time_hot", CacheState::hot, false}};
  scene.device.reading = [](int block, const BlockPlan& plan) {
    const bool is_noisy = plan.cache == CacheState::cold;
    return constant_reading(is_noisy && block % 4 < 2 ? 3.5e-5 : 3e-5, plan);
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].samples.blocks(), 32u);
  EXPECT_EQ(results[1].samples.blocks(), 8u);
}

TEST(Sampler, ALaunchThatWaitsForTheDeviceIsMeasuredByWallTime) {
  Scene scene;
  scene.device.is_holdable = false;
  scene.device.floor_s = 3e-6;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  const auto results = scene.run();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].metric, "wall_time");
  EXPECT_EQ(results[0].floor_s, 0);
  EXPECT_TRUE(std::ranges::all_of(scene.device.plans, &BlockPlan::is_wall_time));
}

TEST(Sampler, DoubtsAboutAReadingBecomeFlags) {
  Scene scene;
  scene.device.reading = [](int block, const BlockPlan& plan) {
    BlockReading reading = constant_reading(1e-4, plan);
    reading.hold_expired = block == 25;
    reading.clock_hz = block == 26 ? 1.5e9 : 1.9e9;
    if (block == 27) reading.samples_s[0] = -1e-7;
    return reading;
  };
  const auto results = scene.run();
  EXPECT_EQ(results[0].flags,
            (std::vector<std::string>{kFlagHoldExpired, kFlagBelowTimer, kFlagUnstableClock}));
}

TEST(Sampler, WarmsUpForTheTimeThatThePolicyAsks) {
  Scene scene;
  scene.policy.warmup_s = 0.095;
  scene.device.tick_s = 0.01;
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  scene.run();
  const auto is_warmup = [](const BlockPlan& plan) { return plan.samples == 1; };
  EXPECT_EQ(std::ranges::count_if(scene.device.plans, is_warmup), 10);
}

TEST(Sampler, ADisturbedWarmUpLaunchDoesNotDecideTheBatch) {
  Scene scene;
  scene.device.metrics = {{"gpu_time_hot", CacheState::hot, false}};
  scene.device.reading = [](int block, const BlockPlan& plan) {
    return constant_reading(block == 2 ? 0.02 : 3.9e-6, plan);
  };
  EXPECT_EQ(scene.run()[0].batch, 52);
}

}  // namespace
}  // namespace plumbline
