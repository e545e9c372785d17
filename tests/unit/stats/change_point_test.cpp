#include "stats/change_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <span>

#include "core/error.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

std::vector<double> noise_of(std::size_t n, double sd, std::uint64_t seed) {
  SyntheticNoise noise(seed);
  std::vector<double> values(n);
  for (double& value : values) value = sd * noise.normal();
  return values;
}

TEST(ChangePoints, OfAStepAreAtItsFirstValue) {
  std::vector<double> values = noise_of(60, 0.003, 1);
  for (std::size_t i = 35; i < 60; ++i) values[i] += 0.02;
  const auto found = change_points(values, {.floor = 0.01});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at, 35u);
  EXPECT_NEAR(found[0].after - found[0].before, 0.02, 0.003);
  EXPECT_NEAR(found[0].p_value, 0.001, 1e-12);
}

TEST(ChangePoints, OfTwoStepsAreBothFoundInTheirOrder) {
  std::vector<double> values = noise_of(90, 0.003, 2);
  for (std::size_t i = 30; i < 60; ++i) values[i] += 0.05;
  for (std::size_t i = 60; i < 90; ++i) values[i] += 0.02;
  const auto found = change_points(values, {.floor = 0.01});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at, 30u);
  EXPECT_EQ(found[1].at, 60u);
  EXPECT_LT(found[1].after, found[1].before);
}

/// Any single split has both levels on one side, at best in equal halves.
TEST(ChangePoints, OfAStepThatWasTakenBackAreBothFound) {
  for (const std::size_t size : {6u, 10u, 20u}) {
    std::vector<double> values = noise_of(3 * size, 0.003, 4);
    for (std::size_t i = size; i < 2 * size; ++i) values[i] += 0.05;
    const auto found = change_points(values, {.floor = 0.01});
    ASSERT_EQ(found.size(), 2u) << size;
    EXPECT_EQ(found[0].at, size);
    EXPECT_EQ(found[1].at, 2 * size);
    EXPECT_NEAR(found[0].after - found[0].before, 0.05, 0.004);
    EXPECT_NEAR(found[1].after - found[1].before, -0.05, 0.004);
  }
}

double mean_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (const double x : a)
    for (const double y : b) sum += std::abs(x - y);
  return sum / double(a.size() * b.size());
}

/// By the definition, pair by pair; `n − 1` values are other ones than a value itself.
double statistic_by_definition(std::span<const double> values, std::size_t at) {
  const auto left = values.first(at), right = values.subspan(at);
  const double n = double(left.size()), m = double(right.size());
  const double within =
      mean_distance(left, left) * n / (n - 1) + mean_distance(right, right) * m / (m - 1);
  return n * m / (n + m) * (2 * mean_distance(left, right) - within);
}

TEST(ChangePoints, HaveTheStatisticOfTheirDefinitionHoweverManyValuesThereAre) {
  for (const std::size_t n : {12u, 60u, 300u, 1000u, 2000u}) {
    std::vector<double> values = noise_of(n, 0.003, n);
    for (std::size_t i = 0; i < n; ++i) values[i] += (i < n / 2 ? -12 : -11.95);
    values[n / 3] = values[n / 4];  // equal values
    const auto found = change_points(values, {.resamples = 199});
    ASSERT_EQ(found.size(), 1u) << n;
    EXPECT_EQ(found[0].at, n / 2);
    const double statistic = statistic_by_definition(values, n / 2);
    EXPECT_NEAR(found[0].statistic, statistic, 1e-9 * statistic) << n;
  }
}

double seconds_for(std::size_t n) {
  std::vector<double> values = noise_of(n, 0.003, 1);
  for (std::size_t i = n / 2; i < n; ++i) values[i] += 0.02;
  const std::clock_t begin = std::clock();
  EXPECT_EQ(change_points(values, {.floor = 0.01, .resamples = 99}).size(), 1u);
  return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// A long history has a value for each run of each device.
TEST(ChangePoints, OfTenTimesAsManyValuesTakeAboutTenTimesAsLong) {
  EXPECT_LT(seconds_for(20'000), 25 * seconds_for(2'000));  // 100 times if each pair took a step
}

TEST(ChangePoints, OfNoiseAreAsRareAsTheLevelSays) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed)
    alarms += !change_points(noise_of(40, 1, seed), {.level = 0.05, .resamples = 199, .seed = seed})
                   .empty();
  EXPECT_NEAR(alarms, 20, 14);  // 3.2 standard deviations
}

TEST(ChangePoints, SmallerThanTheFloorDoNotCount) {
  std::vector<double> values = noise_of(60, 0.001, 3);
  for (std::size_t i = 30; i < 60; ++i) values[i] += 0.005;
  EXPECT_EQ(change_points(values, {}).size(), 1u);
  EXPECT_TRUE(change_points(values, {.floor = 0.01}).empty());
}

TEST(ChangePoints, BarelyAboveTheFloorAreFoundHoweverShortTheirSegment) {
  for (const std::size_t size : {5u, 6u, 7u, 8u, 9u, 12u}) {
    std::vector<double> values(40, 1.0);
    for (std::size_t i = 40 - size; i < 40; ++i) values[i] = 1.0101;
    const auto found = change_points(values, {.floor = 0.01});
    ASSERT_EQ(found.size(), 1u) << size;
    EXPECT_EQ(found[0].at, 40 - size);
    EXPECT_TRUE(change_points(values, {.floor = 0.0102}).empty()) << size;
  }
}

TEST(ChangePoints, AnOutlierAloneIsNone) {
  std::vector<double> values = noise_of(60, 0.003, 4);
  values[40] += 0.5;
  EXPECT_TRUE(change_points(values, {.floor = 0.01}).empty());
}

TEST(ChangePoints, NearAnEndAreAtTheValueThatChangedNotWhereTheSearchMayLastLook) {
  for (const bool at_end : {false, true})
    for (const std::size_t size : {3u, 4u}) {
      std::vector<double> values = noise_of(40, 0.003, 5 + size);
      for (std::size_t i = 0; i < size; ++i) values[at_end ? 39 - i : i] += 1;
      const auto found = change_points(values, {});
      ASSERT_EQ(found.size(), 1u) << size;
      EXPECT_EQ(found[0].at, at_end ? 40 - size : size);
    }
}

TEST(LateChange, IsTheOneOfTheLastFewValuesThatLieClearlyApart) {
  for (const std::size_t size : {2u, 3u, 4u})
    for (const double step : {-0.3, 0.03}) {
      std::vector<double> values = noise_of(12, 0.003, 6);
      for (std::size_t i = 12 - size; i < 12; ++i) values[i] += step;
      const LateChange late = late_change(values, {.floor = 0.01});
      ASSERT_TRUE(late.change) << size;
      EXPECT_EQ(late.change->at, 12 - size);
      EXPECT_NEAR(late.change->after - late.change->before, step, 0.006);
      EXPECT_LT(late.change->p_value, 0.01);
      EXPECT_FALSE(late.last_is_apart);
    }
}

TEST(LateChange, OfValuesThatDoNotVaryIsThereFromTheFloorOn) {
  std::vector<double> values(9, 1.0);
  values.insert(values.end(), {1.02, 1.02});
  const LateChange late = late_change(values, {.floor = 0.01});
  ASSERT_TRUE(late.change);
  EXPECT_EQ(late.change->at, 9u);
  EXPECT_EQ(late.change->p_value, 0);
  EXPECT_FALSE(late_change(values, {.floor = 0.03}).change);
}

TEST(LateChange, OfTheLastValueAloneIsNotPlaced) {
  std::vector<double> values = noise_of(12, 0.003, 7);
  values.back() += 0.05;
  const LateChange late = late_change(values, {.floor = 0.01});
  EXPECT_FALSE(late.change);
  EXPECT_TRUE(late.last_is_apart);
  EXPECT_FALSE(late_change(values, {.floor = 0.1}).last_is_apart) << "below the floor";
}

TEST(LateChange, IsNoneOfValuesThatWereSeenBeforeNorOfTooFew) {
  std::vector<double> values = noise_of(20, 0.003, 8);
  values[4] += 0.05;
  values[18] += 0.05;
  const LateChange late = late_change(values, {.floor = 0.01});
  EXPECT_FALSE(late.change);
  EXPECT_FALSE(late.last_is_apart);
  EXPECT_FALSE(late_change(std::vector<double>{1, 1, 1, 1, 2, 2}, {}).change);
  EXPECT_FALSE(late_change(std::vector<double>{1, 1, 1, 1, 2}, {}).last_is_apart);
  EXPECT_FALSE(late_change({}, {}).change);
}

TEST(LateChange, OfNoiseIsRare) {
  int changes = 0, apart = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const LateChange late = late_change(noise_of(7 + seed % 30, 1, seed), {});
    changes += late.change.has_value();
    apart += late.last_is_apart;
  }
  EXPECT_LE(changes, 4);
  EXPECT_LE(apart, 4);
}

TEST(ChangePoints, OfShortOrConstantSeriesAreNone) {
  EXPECT_TRUE(change_points(std::vector<double>{1, 2, 3, 4, 50, 60, 70, 80, 90}, {}).empty());
  EXPECT_TRUE(change_points(std::vector<double>(50, 1.0), {}).empty());
  EXPECT_TRUE(change_points(std::vector<double>{}, {}).empty());
}

TEST(ChangePoints, RefuseWhatIsNotFiniteAndASearchOutOfRange) {
  std::vector<double> values(20, 1.0);
  EXPECT_THROW(change_points(values, {.min_size = 1}), Error);
  EXPECT_THROW(change_points(values, {.level = 0}), Error);
  values[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(change_points(values, {}), Error);
}

}  // namespace
}  // namespace plumbline
