/// What a sampler does beside timed launches, and when.
#include "measure/scrutiny.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "unit/measure/sampled_visit.h"

namespace plumbline {
namespace {

/// Records what a sampler does beside its launches.
struct Watched {
  std::vector<std::uint64_t> renewed;
  int poisoned = 0, looks = 0, repeats = 0, watched = 0;
  std::vector<bool> touched;
  std::vector<Staging> staged;
  bool can_stage = true;

  Scrutiny scrutiny(std::uint64_t draw = 7) {
    Scrutiny scrutiny;
    scrutiny.draw = draw;
    scrutiny.renew = [this](std::uint64_t contents) { renewed.push_back(contents); };
    scrutiny.poison = [this] { ++poisoned; };
    scrutiny.touch = [this](bool is_poisoned) { touched.push_back(is_poisoned); };
    scrutiny.watch = [this] { ++watched; };
    scrutiny.look = [this] { ++looks; };
    scrutiny.repeat = [this] { ++repeats; };
    scrutiny.stage = [this](const Staging& staging) { staged.push_back(staging); };
    scrutiny.can_stage = [this] { return can_stage; };
    return scrutiny;
  }
};

/// A visit with recorded scrutiny, for launches that the host's clock times.
struct HostTimedVisit : SampledVisit {
  Watched watched;

  HostTimedVisit() {
    scrutiny = watched.scrutiny();
    device.metrics = {{"wall_time", CacheState::hot, Timer::host_clock}};
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
  scene.device.is_gpu = true;
  scene.device.metrics = {{"gpu_time_hot", CacheState::hot, Timer::events}};
  scene.device.reading = [](int, const BlockPlan& plan) { return constant_reading(6e-6, plan); };
  scene.run();
  EXPECT_TRUE(watched.renewed.empty());
  EXPECT_EQ(watched.looks, 8 * 10 + 16);
  EXPECT_EQ(watched.poisoned, watched.looks);
  EXPECT_EQ(watched.repeats, 8 + 1);
  ASSERT_EQ(watched.staged.size(), 6u) << "three turns, on seen and on new contents";
  EXPECT_GT(watched.staged[0].launches, 100) << "as often as a block launches on its contents";
}

TEST(Scrutiny, LaunchesThatAreFasterOnWhatTheyHaveSeenAreTold) {
  for (const double new_s : {1e-4, 1.3e-4, 1.7e-4}) {
    HostTimedVisit scene;
    const Watched& watched = scene.watched;
    scene.device.reading = [&](int, const BlockPlan& plan) {
      const bool is_new = !watched.staged.empty() && watched.staged.back().is_new;
      return constant_reading(is_new ? new_s : 1e-4, plan);
    };
    const std::string told = scene.visit().novelty;
    EXPECT_EQ(told.empty(), new_s < 1.5e-4) << told;
    const std::vector<Staging>& staged = watched.staged;
    ASSERT_GE(staged.size(), 9u);
    for (std::size_t i = 0; i < staged.size(); ++i)
      EXPECT_EQ(staged[i].launches, staged[i].is_new && i < 9 ? 0 : 14) << i;
    if (new_s > 1.5e-4) {
      EXPECT_NE(told.find("170 us on new inputs, 100 us after 14 launches"), std::string::npos)
          << told;
    }
  }
}

TEST(Scrutiny, OneDisturbedTurnHidesNoLaunchThatIsFasterOnWhatItHasSeen) {
  HostTimedVisit scene;
  const Watched& watched = scene.watched;
  scene.device.reading = [&](int, const BlockPlan& plan) {
    const bool is_disturbed = watched.staged.size() == 1;  // the first launch on seen contents
    const bool is_new = !watched.staged.empty() && watched.staged.back().is_new;
    return constant_reading(is_disturbed ? 7e-3 : is_new ? 2e-4 : 1e-5, plan);
  };
  EXPECT_NE(scene.visit().novelty, "");
}

TEST(Scrutiny, LaunchesThatAreFasterWhereTheirResultsAreInPlaceAreTold) {
  for (const double spoiled_s : {6e-6, 7.9e-6, 2e-5}) {
    HostTimedVisit scene;
    const Watched& watched = scene.watched;
    scene.device.reading = [&](int, const BlockPlan& plan) {
      const bool is_spoiled = !watched.touched.empty() && watched.touched.back();
      return constant_reading(is_spoiled && watched.staged.empty() ? spoiled_s : 4e-6, plan);
    };
    const std::string told = scene.visit().novelty;
    EXPECT_EQ(told.empty(), spoiled_s < 8e-6) << told;
    if (spoiled_s > 1e-5) {
      EXPECT_NE(told.find("4 us, 20 us where a piece of them was overwritten"), std::string::npos)
          << told;
    }
    EXPECT_EQ(watched.watched, 16);
  }
}

TEST(Scrutiny, LaunchesThatChangeTheirContentsGetNewOnesForEachSampleOfACpu) {
  HostTimedVisit scene;
  Watched& watched = scene.watched;
  watched.can_stage = false;
  int batch = 0;
  scene.device.reading = [&](int, const BlockPlan& plan) {
    batch = plan.batch;
    return constant_reading(6e-6, plan);
  };
  scene.run();
  EXPECT_EQ(batch, 1);
  EXPECT_EQ(watched.renewed.size(), std::size_t(kWarmupBlocks + 8 * 10));
  EXPECT_EQ(watched.looks, 8 * 10);
  EXPECT_EQ(watched.repeats, 8);
}

TEST(Scrutiny, OfAGpuTheHostWritesToNoResults) {
  HostTimedVisit scene;
  scene.device.is_gpu = true;
  int batch = 0;
  scene.device.reading = [&](int, const BlockPlan& plan) {
    batch = std::max(batch, plan.batch);
    return constant_reading(4e-6, plan);
  };
  EXPECT_EQ(scene.visit().novelty, "");
  EXPECT_GT(batch, 1);
  EXPECT_TRUE(scene.watched.touched.empty());
  EXPECT_EQ(scene.watched.watched, 0);
}

}  // namespace
}  // namespace plumbline
