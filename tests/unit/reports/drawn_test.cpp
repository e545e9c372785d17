// Pictures below the samples of a case: deciles, conditions, roofline.
#include <gtest/gtest.h>

#include <cmath>

#include "reports/sections/detail/conditions.h"
#include "reports/sections/detail/deciles.h"
#include "reports/sections/detail/roofline.h"

namespace plumbline {
namespace {

/// Two sides of three visits each. A visit has blocks of 1 µs … 40 µs in steps of 1, times the
/// factors of the side and of the visit.
struct TwoSides {
  std::vector<ResultRow> rows;
  CaseView view;

  explicit TwoSides(double candidate, double slow_tail = 1, double spread = 0.001) {
    rows.reserve(6);
    for (const int side : {0, 1})
      for (const int visit : {-1, 0, 1})
        add(side, (side == 1 ? candidate : 1) * (1 + spread * visit), side == 1 ? slow_tail : 1);
    for (int i = 0; i < 6; ++i)
      (i < 3 ? view.baseline : view.candidate).visits.push_back(&rows[std::size_t(i)]);
  }

  void add(int side, double factor, double slow_tail) {
    ResultRow& row = rows.emplace_back();
    row.round = std::int64_t(rows.size() - 1) % 3;
    row.temperature_c = 40 + side;
    row.power_w = 300.4;
    for (int b = 0; b < 4; ++b) {
      std::vector<double> block;
      for (int i = 1; i <= 10; ++i) {
        const int at = b * 10 + i;
        block.push_back(at * 1e-6 * factor * (at > 34 ? slow_tail : 1));
      }
      row.samples.add_block(block);
      row.block_clocks_hz.push_back(1.98e9 - 1e6 * b);
    }
  }
};

TEST(Deciles, AChangeOfAllSamplesIsTheChangeOfEachWithinItsInterval) {
  const TwoSides sides(1.05);
  const std::vector<Decile> deciles = deciles_of(sides.view);
  ASSERT_EQ(deciles.size(), 9u);
  EXPECT_NEAR(deciles[4].baseline, 20.5e-6, 1e-9);  // the median of 1 … 40
  for (const Decile& decile : deciles) {
    EXPECT_NEAR(decile.change, 0.05, 1e-4);
    EXPECT_LT(decile.low, 0.05);
    EXPECT_GT(decile.high, 0.05);
    EXPECT_GT(decile.low, 0.045);  // three visits 0.1 % apart: 0.4 % on either side
    EXPECT_LT(decile.high, 0.055);
  }
}

TEST(Deciles, ATailThatGrewMovesTheLastOnly) {
  const std::vector<Decile> deciles = deciles_of(TwoSides(1, 1.2).view);
  EXPECT_NEAR(deciles[0].change, 0, 1e-9);
  EXPECT_NEAR(deciles[7].change, 0, 1e-9);
  EXPECT_NEAR(deciles[8].change, 0.2, 1e-3);
  EXPECT_GT(deciles[8].low, deciles[7].high);
}

TEST(Deciles, OneVisitASideHasNoInterval) {
  TwoSides sides(1.05);
  sides.view.candidate.visits.resize(1);
  const std::vector<Decile> deciles = deciles_of(sides.view);
  EXPECT_NEAR(deciles[0].change, 0.05, 2e-3);
  EXPECT_TRUE(std::isnan(deciles[0].low));
}

TEST(Deciles, OfARunAloneAreItsOwn) {
  TwoSides sides(1.05);
  sides.view.baseline.visits.clear();
  const std::vector<Decile> deciles = deciles_of(sides.view);
  ASSERT_EQ(deciles.size(), 9u);
  EXPECT_TRUE(std::isnan(deciles[0].baseline));
  EXPECT_TRUE(std::isnan(deciles[0].change));
  EXPECT_TRUE(deciles_json(deciles).starts_with("[[null,5.1")) << deciles_json(deciles);
}

TEST(Deciles, NeedEnoughValuesThatHaveALogarithm) {
  TwoSides sides(1.05);
  for (ResultRow& row : sides.rows) row.block_causes = {"thermal", "thermal", "thermal", "thermal"};
  EXPECT_TRUE(deciles_of(sides.view).empty());
  const TwoSides negative(-1);
  for (const Decile& decile : deciles_of(negative.view))
    EXPECT_TRUE(std::isnan(decile.candidate) && std::isnan(decile.change));
  EXPECT_EQ(deciles_json({}), "null");
}

TEST(Conditions, AreToldVisitByVisitWithoutBlocksThatWereSetAside) {
  TwoSides sides(1);
  sides.rows[5].throttle = "sw_thermal";
  sides.rows[5].block_causes = {"", "thermal", "", ""};
  TextList throttles;
  const std::string json = conditions_json(sides.view, throttles);
  EXPECT_TRUE(json.starts_with("[[0,0,40,300,0,[1980,1979,1978,1977]],[0,1,40,")) << json;
  EXPECT_TRUE(json.ends_with("[1,2,41,300,1,[1980,1978,1977]]]")) << json;
  EXPECT_EQ(throttles.texts(), (std::vector<std::string>{"", "sw_thermal"}));
}

TEST(Conditions, OfWhichNothingIsKnownAreNull) {
  TwoSides sides(1);
  for (ResultRow& row : sides.rows) {
    row.temperature_c = row.power_w = kUnknown;
    row.block_clocks_hz.clear();
  }
  TextList throttles;
  EXPECT_EQ(conditions_json(sides.view, throttles), "null");
}

TEST(Roofline, HoldsTheRateUnderBothCalibratedLimits) {
  CaseView view;
  view.flops = 6e9;
  view.bytes = 3e9;
  view.achieved.flops_per_s = 5e12;
  view.achieved.bytes_per_s = 2.5e12;
  view.achieved.bytes_share = 0.625;
  EXPECT_EQ(roofline_json(view), "[2,5e+12,null,4e+12]");
  view.achieved.flops_peak = 8e14;
  EXPECT_EQ(roofline_json(view), "[2,5e+12,8e+14,4e+12]");
  view.moved.moved = 6e9;  // twice what it declares
  EXPECT_EQ(roofline_json(view), "[2,5e+12,8e+14,4e+12]") << "not of this cache state";
  view.metric = "kernel_time_cold";
  EXPECT_EQ(roofline_json(view), "[1,5e+12,8e+14,4e+12,true]");
  view.achieved.bytes_share = kUnknown;  // nothing was calibrated
  EXPECT_EQ(roofline_json(view), "null");
  view.achieved.bytes_share = 0.625;
  view.flops = 0;
  EXPECT_EQ(roofline_json(view), "null");
}

}  // namespace
}  // namespace plumbline
