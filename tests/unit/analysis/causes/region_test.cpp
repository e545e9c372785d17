#include "analysis/causes/region.h"

#include <gtest/gtest.h>

#include <ctime>
#include <map>
#include <random>

#include "support/time_limit.h"

namespace plumbline {
namespace {

using Params = std::vector<std::pair<std::string, std::string>>;

std::string value_of(const SweepPoint& point, const std::string& name) {
  for (const auto& [key, value] : point.params)
    if (key == name) return value;
  return "";
}

/// dtype × k × m, 3 × 6 × 4 points; `is_changed` tells which ones changed.
template <typename IsChanged>
std::vector<SweepPoint> grid(IsChanged is_changed) {
  std::vector<SweepPoint> points;
  for (const char* dtype : {"bfloat16", "float16", "float32"})
    for (int k = 512; k <= 16384; k *= 2)
      for (int m = 1; m <= 64; m *= 4) {
        SweepPoint point{{{"dtype", dtype}, {"k", std::to_string(k)}, {"m", std::to_string(m)}},
                         {}};
        point.mark = is_changed(std::string(dtype), k, m) ? Mark::changed : Mark::unchanged;
        points.push_back(point);
      }
  return points;
}

const AxisCondition* condition(const Region& region, const std::string& name) {
  for (const AxisCondition& found : region.conditions)
    if (found.name == name) return &found;
  return nullptr;
}

TEST(Region, IsTheDtypeAndTheSizesThatChanged) {
  const auto points =
      grid([](const std::string& dtype, int k, int) { return dtype == "bfloat16" && k >= 4096; });
  const std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].changed, 12u);
  EXPECT_EQ(regions[0].cases, 12u);
  ASSERT_EQ(regions[0].conditions.size(), 2u);
  EXPECT_EQ(condition(regions[0], "dtype")->values, std::vector<std::string>{"bfloat16"});
  EXPECT_EQ(condition(regions[0], "k")->low, 4096);
  EXPECT_FALSE(condition(regions[0], "k")->high) << "all sizes above changed";
}

TEST(Region, SaysHowManyOfItsCasesDidNotChange) {
  int left_out = 0;
  const auto points = grid([&](const std::string& dtype, int k, int m) {
    if (dtype != "bfloat16" || k < 4096) return false;
    return !(m == 4 && k == 8192 && ++left_out) && !(m == 16 && k == 8192 && ++left_out);
  });
  const std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(left_out, 2);
  EXPECT_EQ(regions[0].changed, 10u);
  EXPECT_EQ(regions[0].cases, 12u);
}

TEST(Region, CountsOpenCasesAndIsNotShapedByThem) {
  auto points = grid([](const std::string& dtype, int, int) { return dtype == "float16"; });
  for (SweepPoint& point : points)
    if (value_of(point, "dtype") == "float16" && value_of(point, "k") == "512")
      point.mark = Mark::open;
  const std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].changed, 20u);
  EXPECT_EQ(regions[0].cases, 24u);
  EXPECT_EQ(regions[0].open, 4u);
  ASSERT_EQ(regions[0].conditions.size(), 1u);
  EXPECT_EQ(regions[0].conditions[0].name, "dtype");
}

TEST(Region, TwoPlantedBlocksAreTwoRegions) {
  const auto points = grid([](const std::string& dtype, int k, int m) {
    return (dtype == "bfloat16" && k >= 4096) || (dtype == "float32" && m == 1);
  });
  const std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].changed, 12u);
  EXPECT_EQ(regions[0].cases, 12u);
  EXPECT_EQ(regions[1].changed, 6u);
  EXPECT_EQ(regions[1].cases, 6u);
  EXPECT_EQ(condition(regions[1], "m")->values, std::vector<std::string>{"1"});
}

TEST(Region, CasesWithoutAPatternStayOneRegion) {
  std::mt19937 random(7);
  std::size_t planted = 0;
  const auto points = grid([&](const std::string&, int, int) {
    const bool is_changed = random() % 8 == 0;
    planted += is_changed;
    return is_changed;
  });
  const std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].changed, planted);
}

TEST(Region, AllCasesNeedNoCondition) {
  const auto points = grid([](const std::string&, int, int) { return true; });
  const std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_TRUE(regions[0].conditions.empty());
  EXPECT_EQ(regions[0].cases, 72u);
}

TEST(Region, OneCaseIsToldFromAllOthers) {
  const auto points = grid([](const std::string& dtype, int k, int m) {
    return dtype == "float16" && k == 2048 && m == 16;
  });
  const std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].cases, 1u);
  EXPECT_EQ(regions[0].conditions.size(), 3u);
}

TEST(Region, AParameterThatOnlySomeCasesHaveIsAValueLikeAnyOther) {
  std::vector<SweepPoint> points;
  for (int n = 1; n <= 8; ++n) {
    points.push_back({{{"n", std::to_string(n)}}, Mark::unchanged});
    points.push_back({{{"n", std::to_string(n)}, {"stream.count", "4"}}, Mark::changed});
  }
  std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 1u);
  ASSERT_EQ(regions[0].conditions.size(), 1u);
  EXPECT_EQ(regions[0].conditions[0].values, std::vector<std::string>{"4"});
  for (SweepPoint& point : points)
    point.mark = point.mark == Mark::changed ? Mark::unchanged : Mark::changed;
  regions = regions_of(points);
  ASSERT_EQ(regions[0].conditions.size(), 1u);
  EXPECT_EQ(regions[0].conditions[0].values, std::vector<std::string>{""});
}

TEST(Region, TheShorterSideOfASetIsNamed) {
  const auto points = grid([](const std::string& dtype, int, int) { return dtype != "float32"; });
  const std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 1u);
  ASSERT_EQ(regions[0].conditions.size(), 1u);
  EXPECT_TRUE(regions[0].conditions[0].is_except);
  EXPECT_EQ(regions[0].conditions[0].values, std::vector<std::string>{"float32"});
}

TEST(Region, SizesAreOrderedAsNumbersAndNotAsTexts) {
  const auto points = grid([](const std::string&, int k, int) { return k >= 1024 && k <= 8192; });
  const std::vector<Region> regions = regions_of(points);
  ASSERT_EQ(regions.size(), 1u);
  ASSERT_EQ(regions[0].conditions.size(), 1u);
  EXPECT_EQ(regions[0].conditions[0].low, 1024);
  EXPECT_EQ(regions[0].conditions[0].high, 8192);
}

TEST(Region, TenThousandCasesOfOneOpTakeAFractionOfASecond) {
  std::mt19937 random(3);
  std::vector<SweepPoint> points;
  for (int i = 0; i < 10'000; ++i) {
    SweepPoint point{{{"dtype", random() % 2 ? "float16" : "float32"},
                      {"k", std::to_string(64 * (i + 1))},
                      {"m", std::to_string(1 << random() % 12)},
                      {"n", std::to_string(random() % 1000)}},
                     {}};
    point.mark = random() % 5 == 0 ? Mark::changed : Mark::unchanged;
    points.push_back(point);
  }
  const std::clock_t started = std::clock();  // of this process, so other programs do not count
  const std::vector<Region> regions = regions_of(points);
  const double spent_s = double(std::clock() - started) / CLOCKS_PER_SEC;
  EXPECT_FALSE(regions.empty());
  RecordProperty("seconds", std::to_string(spent_s));
  EXPECT_LT(spent_s, time_limit_s(0.5));
}

}  // namespace
}  // namespace plumbline
