#include "reports/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/places.h"

namespace plumbline {
namespace {

using Ticks = std::vector<double>;

void expect_ticks(const Axis& axis, std::size_t most, const Ticks& wanted) {
  const Ticks ticks = axis.ticks(most);
  ASSERT_EQ(ticks.size(), wanted.size()) << axis.low << " to " << axis.high;
  for (std::size_t i = 0; i < ticks.size(); ++i)
    EXPECT_NEAR(ticks[i], wanted[i], 1e-9 * std::abs(wanted[i])) << axis.low << " to " << axis.high;
}

TEST(Axis, PlacesItsEndsAndWhatLiesBetween) {
  EXPECT_EQ((Axis{2, 4, 100, 0}.at(2)), 100);
  EXPECT_EQ((Axis{2, 4, 100, 0}.at(3.5)), 25);
  EXPECT_DOUBLE_EQ((Axis{1, 100, 0, 10, true}.at(10)), 5);
  EXPECT_EQ((Axis{3, 3, 0, 10}.at(3)), 5) << "a single value lies in the middle";
}

TEST(Axis, TicksAreRoundNumbersAtEqualStepsAndAsManyAsFit) {
  expect_ticks({0, 10}, 5, {0, 2, 4, 6, 8, 10});
  expect_ticks({12.3, 13.1}, 4, {12.4, 12.6, 12.8, 13});
  expect_ticks({-0.3, 0.9}, 4, {0, 0.5});
  expect_ticks({95, 1'000}, 4, {500, 1'000});
  expect_ticks({291, 299.9}, 4, {292, 294, 296, 298});  // 295 alone would not show the scale
}

TEST(Axis, LogarithmicTicksAreOneTwoAndFiveElsePowersOfTenElseSomeOfThese) {
  expect_ticks({0.3, 6, 0, 1, true}, 9, {0.5, 1, 2, 5});
  expect_ticks({1, 1'000, 0, 1, true}, 9, {1, 10, 100, 1'000});
  expect_ticks({1, 1e9, 0, 1, true}, 4, {1, 1e3, 1e6, 1e9});
  expect_ticks({1.2, 1.9, 0, 1, true}, 9, {});
}

/// For tests/browser/axis_test.py: js/axis.js must give the same for these axes.
TEST(Axis, TicksForTheScriptsOfAPage) {
  nlohmann::json examples = nlohmann::json::array();
  for (const bool is_log : {false, true})
    for (const double low : {0.2, 1.0, 9.7, 123.0})
      for (const double span : {1.01, 1.5, 2.0, 4.7, 30.0, 1e4, 1e11})
        for (const std::size_t most : {2U, 4U, 9U}) {
          const Axis axis{low, low * span, 0, 100, is_log};
          examples.push_back(
              {low, low * span, is_log, most, axis.ticks(most), axis.at(low * std::sqrt(span))});
        }
  const auto folder = build_dir() / "tests/axis";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "examples.json") << examples.dump();
  EXPECT_EQ(examples.size(), 168U);
}

}  // namespace
}  // namespace plumbline
