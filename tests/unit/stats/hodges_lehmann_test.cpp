#include "stats/hodges_lehmann.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/error.h"

namespace plumbline {
namespace {

std::vector<double> random_values(std::size_t n, unsigned seed, double center) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(center, 1);
  std::vector<double> values(n);
  for (double& value : values) value = normal(random);
  return values;
}

/// Two-sided p of Wilcoxon's signed-rank test, counted over all signs; without ties.
double counted_p(std::vector<double> values) {
  std::ranges::sort(values, {}, [](double value) { return std::abs(value); });
  std::size_t positive = 0, below = 0, above = 0;
  for (std::size_t i = 0; i < values.size(); ++i) positive += values[i] > 0 ? i + 1 : 0;
  for (std::size_t signs = 0; signs < std::size_t{1} << values.size(); ++signs) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += (signs >> i & 1) * (i + 1);
    below += sum <= positive;
    above += sum >= positive;
  }
  return std::min(1.0, 2 * std::ldexp(double(std::min(below, above)), -int(values.size())));
}

TEST(HodgesLehmann, interval_leaves_0_out_exactly_where_the_rank_test_rejects_it) {
  int rejected = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<double> values = random_values(7, seed, 0.8);
    for (const double confidence : {0.9, 0.95}) {
      const Interval center = hodges_lehmann(values, confidence).interval;
      const bool is_out = center.low > 0 || center.high < 0;
      EXPECT_EQ(is_out, counted_p(values) <= 1 - confidence);
      rejected += is_out;
    }
  }
  EXPECT_GT(rejected, 40);
  EXPECT_LT(rejected, 360);
}

TEST(HodgesLehmann, a_planted_center_is_found_in_a_list_too_long_to_write_all_means_down) {
  const OrderInterval found = hodges_lehmann(random_values(30000, 8, 0.25), 0.999);
  EXPECT_NEAR(found.interval.center, 0.25, 0.03);
  EXPECT_LT(found.interval.low, 0.25);
  EXPECT_GT(found.interval.high, 0.25);
  EXPECT_EQ(found.method, Method::asymptotic);
}

TEST(HodgesLehmann, mistakes_are_errors) {
  EXPECT_THROW(hodges_lehmann({}, 0.9), Error);
  EXPECT_THROW(hodges_lehmann(std::vector<double>(2000, 1), 0.9, Method::exact), Error);
}

}  // namespace
}  // namespace plumbline
