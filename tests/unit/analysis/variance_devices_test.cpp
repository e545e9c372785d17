// Differing devices of a class, separated from differences between their runs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "unit/analysis/planted_levels.h"

namespace plumbline {
namespace {

using namespace planted_levels;

/// Runs with devices named by `device_of(run)`; devices differ by `sd` (of logarithms) in each
/// case.
Runs on_devices(const Planted& planted, double sd, const std::function<int(int)>& device_of) {
  Runs runs = runs_of(planted);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (ResultRow& row : runs[r].rows) {
      const int device = device_of(int(r));
      row.device = "GPU-" + std::to_string(device);
      std::mt19937_64 random(std::hash<std::string>{}(row.case_id + row.device));
      const double factor = std::exp(sd * std::normal_distribution<double>()(random));
      SampleSet moved;
      for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
        std::vector<double> block(row.samples.block(i).begin(), row.samples.block(i).end());
        for (double& sample : block) sample *= factor;
        moved.add_block(block);
      }
      row.samples = moved;
    }
  return runs;
}

TEST(Variance, devices_are_told_apart_from_runs_whatever_the_number_of_runs_of_each) {
  const Planted planted{.process = 0.004, .run = 0.006, .runs = 9, .cases = 400};
  const auto three_each = variance_table(on_devices(planted, 0.02, [](int r) { return r / 3; }));
  EXPECT_EQ(three_each[0].devices, 3u);
  EXPECT_EQ(three_each[0].of(Level::device).df, 2);
  EXPECT_EQ(three_each[0].of(Level::run).df, 6);
  EXPECT_NEAR(mean_sd(three_each, Level::device), 0.02, 0.0015);
  EXPECT_NEAR(mean_sd(three_each, Level::run), 0.006, 0.0005);
  EXPECT_EQ(three_each[0].dominant, Level::device);
  // Five runs of one, three of another, one of a third.
  const auto unequal = variance_table(on_devices(planted, 0.02, [](int r) {
    return r < 5 ? 0 : r < 8 ? 1 : 2;
  }));
  EXPECT_NEAR(mean_sd(unequal, Level::device), 0.02, 0.0015);
  EXPECT_NEAR(mean_sd(unequal, Level::run), 0.006, 0.0005);
}

TEST(Variance, devices_that_do_not_differ_are_not_said_to) {
  const auto table = variance_table(on_devices(
      {.process = 0.004, .run = 0.006, .runs = 9, .cases = 400}, 0, [](int r) { return r / 3; }));
  EXPECT_LT(mean_sd(table, Level::device), 0.003);
  EXPECT_NEAR(mean_sd(table, Level::run), 0.006, 0.0005);
}

TEST(Variance, of_one_device_or_of_one_run_on_each_no_device_level_is_told) {
  const Planted planted{.process = 0.004, .run = 0.006, .runs = 4, .cases = 300};
  const auto one = variance_table(on_devices(planted, 0.02, [](int) { return 0; }));
  EXPECT_EQ(one[0].devices, 1u);
  EXPECT_NEAR(mean_sd(one, Level::run), 0.006, 0.0006);
  expect_unknown(one[0], {Level::device});
  const auto each = variance_table(on_devices(planted, 0.02, [](int r) { return r; }));
  EXPECT_TRUE(each[0].run_holds_devices);
  EXPECT_NEAR(mean_sd(each, Level::run), std::hypot(0.02, 0.006), 0.0015);
  expect_unknown(each[0], {Level::device});
}

}  // namespace
}  // namespace plumbline
