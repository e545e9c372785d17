#include "stats/trend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "core/error.h"

namespace plumbline {
namespace {

using enum Alternative;

std::vector<double> noise(std::size_t n, double neighbour, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(n);
  double last = 0;
  for (double& value : values) value = last = neighbour * last + normal(random);
  return values;
}

TEST(MannKendall, values_that_only_rise_have_the_smallest_p_that_there_is) {
  double orders = 2;
  for (std::size_t n = 2; n <= 10; ++n, orders *= static_cast<double>(n)) {
    std::vector<double> rising(n);
    std::iota(rising.begin(), rising.end(), 1.0);
    const MannKendall found = mann_kendall(rising, greater);
    EXPECT_NEAR(found.p_value * orders, 1, 1e-12) << n;
    EXPECT_EQ(found.tau, 1);
    EXPECT_EQ(mann_kendall(rising, less).p_value, 1);
    std::ranges::reverse(rising);
    EXPECT_NEAR(mann_kendall(rising, less).p_value * orders, 1, 1e-12) << n;
  }
}

TEST(MannKendall, p_is_valid_over_all_orders_of_tied_values) {
  std::vector<double> values{1, 1, 2, 3, 3, 3}, found;
  do found.push_back(mann_kendall(values, two_sided).p_value);
  while (std::ranges::next_permutation(values).found);
  ASSERT_EQ(found.size(), 60U);  // 6! / (2! 3!)
  std::ranges::sort(found);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (i + 1 == found.size() || found[i + 1] > found[i]) {
      EXPECT_LE(static_cast<double>(i + 1) / 60, found[i] * (1 + 1e-12));
    }
}

TEST(MannKendall, neighbours_that_are_alike_cry_wolf_less_with_a_correction) {
  constexpr Autocorrelation kRules[] = {Autocorrelation::none, Autocorrelation::hamed_rao,
                                        Autocorrelation::leading_lags};
  int alarms[3] = {}, on_plain_noise = 0, found = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::vector<double> values = noise(100, 0.5, seed);
    for (std::size_t i = 0; i < 3; ++i)
      alarms[i] += mann_kendall(values, two_sided, Method::automatic, kRules[i]).p_value <= 0.05;
    on_plain_noise +=
        mann_kendall(noise(100, 0, seed), two_sided, Method::automatic, kRules[2]).p_value <= 0.05;
    for (std::size_t i = 0; i < 100; ++i) values[i] += 0.05 * static_cast<double>(i);
    found += mann_kendall(values, two_sided, Method::automatic, kRules[2]).p_value <= 0.05;
  }
  EXPECT_GT(alarms[0], 45);  // 10 would be right
  EXPECT_LT(alarms[1], alarms[0] - 10);
  EXPECT_LT(alarms[2], alarms[1] - 5);
  EXPECT_LE(on_plain_noise, 20);
  EXPECT_GE(found, 190);
}

TEST(MannKendall, mistakes_are_errors) {
  const std::vector<double> one{1}, some{1, 3, 2}, many(kMostTrendPoints + 1, 1), odd(101, 1);
  EXPECT_THROW(mann_kendall(one, two_sided), Error);
  EXPECT_THROW(mann_kendall(many, two_sided), Error);
  EXPECT_THROW(mann_kendall(odd, two_sided, Method::exact), Error);
  EXPECT_THROW(mann_kendall(some, two_sided, Method::automatic, Autocorrelation::hamed_rao), Error);
  EXPECT_THROW(mann_kendall(noise(9, 0, 1), two_sided, Method::exact, Autocorrelation::hamed_rao),
               Error);
}

TEST(TheilSen, a_planted_slope_is_found_though_a_quarter_of_the_points_are_wild) {
  std::vector<double> y = noise(100, 0, 3), x(100);
  for (std::size_t i = 0; i < 100; ++i) {
    x[i] = static_cast<double>(i * i % 101);
    y[i] += i % 4 == 0 ? 1e6 : 3 * x[i] + 7;
  }
  const OrderInterval found = theil_sen(y, x, 0.95);
  EXPECT_NEAR(found.interval.center, 3, 0.3);
  EXPECT_LT(found.interval.low, found.interval.center);
  EXPECT_GT(found.interval.high, found.interval.center);
}

TEST(TheilSen, points_on_a_line_leave_nothing_open) {
  const std::vector<double> y{1, 3, 5, 7, 9, 11};
  const OrderInterval found = theil_sen(y, {}, 0.9);
  EXPECT_EQ(found.interval.low, 2);
  EXPECT_EQ(found.interval.center, 2);
  EXPECT_EQ(found.interval.high, 2);
}

TEST(TheilSen, a_confidence_that_is_reached_to_the_last_digit_counts_as_reached) {
  const std::vector<double> y{0, 1, 3, 7};  // slopes 1, 1.5, 2, 7 / 3, 3, 4
  EXPECT_EQ(theil_sen(y, {}, 1 - 2 * 4.0 / 24).interval.low, 1.5);
  EXPECT_EQ(theil_sen(y, {}, 0.67).interval.low, 1);
}

TEST(TheilSen, mistakes_are_errors) {
  const std::vector<double> one{1}, two{1, 2}, three{1, 2, 3}, same{5, 5};
  EXPECT_THROW(theil_sen(one, {}, 0.9), Error);
  EXPECT_THROW(theil_sen(two, three, 0.9), Error);
  EXPECT_THROW(theil_sen(two, same, 0.9), Error);
  EXPECT_THROW(theil_sen(two, {}, 1), Error);
}

}  // namespace
}  // namespace plumbline
