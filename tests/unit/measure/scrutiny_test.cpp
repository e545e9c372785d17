/// What a sampler has done beside timed launches, and when.
#include "measure/scrutiny.h"

#include <gtest/gtest.h>

#include <set>

#include "unit/measure/sampled_visit.h"

namespace plumbline {
namespace {

/// Writes down what a sampler has done beside its launches.
struct Watched {
  std::vector<std::uint64_t> renewed;
  int poisoned = 0, looks = 0, repeats = 0;
  std::vector<Staging> staged;

  Scrutiny scrutiny(std::uint64_t draw = 7) {
    Scrutiny scrutiny;
    scrutiny.draw = draw;
    scrutiny.renew = [this](std::uint64_t contents) { renewed.push_back(contents); };
    scrutiny.poison = [this] { ++poisoned; };
    scrutiny.look = [this] { ++looks; };
    scrutiny.repeat = [this] { ++repeats; };
    scrutiny.stage = [this](const Staging& staging) { staged.push_back(staging); };
    scrutiny.can_stage = [] { return true; };
    return scrutiny;
  }
};

TEST(Scrutiny, EveryColdSampleHasContentsOfItsOwnAndOneOfEachBlockIsRepeated) {
  SampledVisit scene;
  Watched watched;
  scene.scrutiny = watched.scrutiny();
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
  scene.run();
  std::set<std::uint64_t> contents(watched.renewed.begin(), watched.renewed.end());
  contents.insert(scene.block_contents.begin(), scene.block_contents.end());
  EXPECT_EQ(watched.renewed.size(), std::size_t(kWarmupBlocks + 8 * 10));
  EXPECT_EQ(contents.size(), watched.renewed.size() + scene.block_contents.size()) << "none twice";
  EXPECT_EQ(watched.looks, 8 * 10);
  EXPECT_EQ(watched.repeats, 8);
  EXPECT_EQ(watched.poisoned, 0) << "renewing does it";
  EXPECT_TRUE(watched.staged.empty()) << "no launch repeats its contents";
}

TEST(Scrutiny, WhichSampleIsRepeatedIsNotTheSameInEveryBlock) {
  std::set<int> places;
  for (const std::uint64_t draw : {1, 2, 3}) {
    SampledVisit scene;
    Watched watched;
    scene.scrutiny = watched.scrutiny(draw);
    scene.scrutiny.repeat = [&] { places.insert((watched.looks - 1) % 10); };
    scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(1e-4, plan); };
    scene.run();
  }
  EXPECT_GT(places.size(), 5u);
}

TEST(Scrutiny, HotSamplesArePoisonedAndLookedAtAndTheirBatchesOnceOneByOne) {
  SampledVisit scene;
  Watched watched;
  scene.scrutiny = watched.scrutiny();
  scene.device.metrics = {{"gpu_time_hot", CacheState::hot, Timer::events}};
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(6e-6, plan); };
  scene.run();
  EXPECT_TRUE(watched.renewed.empty());
  EXPECT_EQ(watched.looks, 8 * 10 + 16);
  EXPECT_EQ(watched.poisoned, watched.looks);
  EXPECT_EQ(watched.repeats, 8 + 1);
  EXPECT_EQ(watched.staged.size(), 12u);  // three turns each with scaled and with other contents
}

TEST(Scrutiny, LaunchesThatAreFasterOnWhatTheyHaveSeenAreTold) {
  for (const double new_s : {1e-4, 1.3e-4, 1.7e-4}) {
    SampledVisit scene;
    Watched watched;
    scene.scrutiny = watched.scrutiny();
    scene.device.metrics = {{"wall_time", CacheState::hot, Timer::host_clock}};
    scene.device.reading = [&](int, const BlockPlan& plan) {
      const bool is_new = !watched.staged.empty() && watched.staged.back().is_new;
      return constant_reading(is_new ? new_s : 1e-4, plan);
    };
    const std::string told = scene.visit().novelty;
    EXPECT_EQ(told.empty(), new_s < 1.5e-4) << told;
    if (new_s > 1.5e-4) {
      EXPECT_NE(told.find("170 us on new inputs, 100 us after 4 launches"), std::string::npos)
          << told;
    }
  }
}

}  // namespace
}  // namespace plumbline
