#include "stats/modes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/error.h"
#include "stats/dip.h"

namespace plumbline {
namespace {

/// Normal values around 0, and `count` of them around `at`.
std::vector<double> humps(std::size_t n, double at, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = normal(random) + (i < count ? at : 0);
  return values;
}

TEST(Dip, one_hump_is_let_pass_and_two_are_found) {
  int alarms = 0, found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const std::vector<double> one = humps(60, 0, 0, seed), two = humps(60, 6, 25, seed);
    alarms += dip_p_value(dip_statistic(one), 60) <= 0.05;
    found += dip_p_value(dip_statistic(two), 60) <= 0.05;
  }
  EXPECT_LE(alarms, 3);  // less than 5 %: the uniform distribution is the hardest to tell
  EXPECT_GE(found, 97);
}

TEST(Dip, uniform_values_alarm_as_often_as_p_says_between_the_sizes_of_the_table) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform;
  for (const std::size_t n : {11, 85, 700}) {
    int below[3] = {};
    for (int i = 0; i < 4000; ++i) {
      std::vector<double> values(n);
      for (double& value : values) value = uniform(random);
      const double p = dip_p_value(dip_statistic(values), n);
      below[0] += p <= 0.5;
      below[1] += p <= 0.1;
      below[2] += p <= 0.02;
    }
    EXPECT_NEAR(below[0], 2000, 130) << n;  // four standard deviations
    EXPECT_NEAR(below[1], 400, 76) << n;
    EXPECT_NEAR(below[2], 80, 36) << n;
  }
}

TEST(Dip, place_scale_and_order_do_not_matter) {
  const std::vector<double> values = humps(50, 4, 20, 1);
  std::vector<double> other(values.rbegin(), values.rend());
  for (double& value : other) value = -1024 * value + 4096;
  EXPECT_NEAR(dip_statistic(other), dip_statistic(values), 1e-12);
}

TEST(Dip, p_falls_as_the_dip_grows_and_ends_where_the_table_does) {
  for (const std::size_t n : {4, 9, 33, 100, 12345, 1000000}) {
    double last = 1;
    for (double dip = 0.5 / static_cast<double>(n); dip < 0.25; dip *= 1.02) {
      const double p = dip_p_value(dip, n);
      EXPECT_LE(p, last) << n << " " << dip;
      last = p;
    }
    EXPECT_EQ(last, n == 4 ? last : 0.0001) << n;
  }
  EXPECT_EQ(dip_p_value(0.25, 3), 1);
  EXPECT_THROW(dip_statistic({}), Error);
}

TEST(Modes, planted_modes_are_found_with_their_places_and_shares) {
  const Modes found = find_modes(humps(400, 8, 100, 2));
  ASSERT_EQ(found.modes.size(), 2U);
  EXPECT_NEAR(found.modes[0].at, 0, 0.5);
  EXPECT_NEAR(found.modes[1].at, 8, 0.5);
  EXPECT_EQ(found.modes[0].share, 0.75);
  EXPECT_EQ(found.modes[1].share, 0.25);
}

TEST(Modes, a_few_values_far_away_are_no_mode_and_cost_no_time) {
  std::vector<double> values = humps(200, 0, 0, 3);
  values.push_back(1e12);
  values.push_back(-1e9);
  const Modes found = find_modes(values);
  ASSERT_EQ(found.modes.size(), 1U);
  EXPECT_NEAR(found.modes[0].at, 0, 0.5);
  EXPECT_EQ(found.modes[0].share, 1);
}

TEST(Modes, values_on_a_grid_are_one_mode_where_the_kernel_is_wider_than_its_steps) {
  std::vector<double> values = humps(300, 0, 0, 4);
  for (double& value : values) value = std::round(4 * value) / 4;
  EXPECT_EQ(find_modes(values).modes.size(), 1U);
  EXPECT_GT(find_modes(values, 0.03).modes.size(), 4U);
}

TEST(Modes, of_mirrored_values_are_the_mirrored_modes) {
  std::vector<double> values;
  for (int i = 0; i < 38; ++i) values.push_back(0.01 * i);
  values.insert(values.end(), {100, 112.5});  // nearer to each other than to the rest
  std::vector<double> mirrored;
  for (const double value : values) mirrored.push_back(-value);
  const Modes found = find_modes(values, 1), reverse = find_modes(mirrored, 1);
  ASSERT_EQ(found.modes.size(), 2u);
  ASSERT_EQ(reverse.modes.size(), 2u);
  EXPECT_DOUBLE_EQ(found.modes[1].share, 0.05);
  EXPECT_DOUBLE_EQ(reverse.modes[0].share, 0.05);
}

TEST(Modes, mistakes_are_errors) {
  EXPECT_THROW(find_modes(std::vector<double>{1, 2, 3, 4}, 1e308), Error);
  EXPECT_THROW(find_modes(std::vector<double>{-1.7e308, -1.6e308, -1.65e308}, 0), Error);

  const std::vector<double> one{1}, some{1, 2, 3};
  EXPECT_THROW(find_modes(one), Error);
  EXPECT_THROW(find_modes(some, -1), Error);
  EXPECT_THROW(find_modes(some, 1e-30), Error);
}

}  // namespace
}  // namespace plumbline
