#include "analysis/fleet/gap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace plumbline {
namespace {

std::vector<double> sorted_normal(std::size_t count, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  std::ranges::sort(values);
  return values;
}

TEST(Gap, LiesBetweenTwoGroupsAndIsMeasuredInTheirSpread) {
  const std::vector<double> values{-0.2, -0.1, 0, 0.1, 0.2, 9.8, 9.9, 10, 10.1, 10.2};
  const Gap gap = widest_gap(values, 3);
  EXPECT_EQ(gap.below, 5U);
  EXPECT_EQ(gap.low, 0.2);
  EXPECT_EQ(gap.high, 9.8);
  EXPECT_NEAR(gap.ratio, 9.6 / (1.4826 * 0.1), 1e-3 * gap.ratio);
}

TEST(Gap, NeedsEnoughValuesOnBothSides) {
  const std::vector<double> values{0, 0.1, 0.2, 0.3, 0.4, 10, 10.1};
  EXPECT_LT(widest_gap(values, 3).high, 1) << "two values are no group";
  EXPECT_EQ(widest_gap(std::vector<double>{1, 2, 3}, 2).below, 0U);
}

TEST(Gap, OfEqualValuesOnBothSidesIsInfinite) {
  EXPECT_TRUE(std::isinf(widest_gap(std::vector<double>{1, 1, 1, 2, 2, 2}, 3).ratio));
  EXPECT_EQ(widest_gap(std::vector<double>{1, 1, 1, 1}, 2).ratio, 0);
}

TEST(GapThreshold, IsExceededByOneGroupAboutAsOftenAsItsLevelSays) {
  std::mt19937_64 random(1);
  constexpr int kTrials = 2000;
  for (const std::size_t count : {12, 40, 200}) {
    const double threshold = gap_threshold(count, std::max<std::size_t>(3, count / 10), 0.01);
    int exceeded = 0;
    for (int i = 0; i < kTrials; ++i)
      exceeded +=
          widest_gap(sorted_normal(count, random), std::max<std::size_t>(3, count / 10)).ratio >
          threshold;
    EXPECT_LE(exceeded, 36) << count;  // 20 are due at most: 36 have a probability below 0.001
  }
}

TEST(GapThreshold, FallsWithTheNumberOfValues) {
  EXPECT_GT(gap_threshold(8, 3, 0.01), gap_threshold(20, 3, 0.01));
  EXPECT_EQ(gap_threshold(640, 64, 0.01), gap_threshold(1280, 128, 0.01));
}

}  // namespace
}  // namespace plumbline
