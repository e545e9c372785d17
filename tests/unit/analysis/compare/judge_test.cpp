#include "analysis/compare/judge.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

/// Verdict on an increase of `change` (a fraction) far above its noise.
Finding judged(double change, bool is_more_better) {
  std::vector<Finding> findings(1);
  findings[0].threshold = 0.02;
  Contrast contrast;
  contrast.change = std::log1p(change);
  contrast.variance = 1e-8;
  contrast.df = 4;
  contrast.inverse_visits = 2.0 / 3;
  contrast.is_more_better = is_more_better;
  judge({contrast}, DecisionRule{}, findings);
  return findings[0];
}

TEST(Judge, a_rise_is_slower_for_times_and_faster_for_rates) {
  EXPECT_EQ(judged(0.1, false).verdict, Verdict::slower);
  EXPECT_EQ(judged(0.1, true).verdict, Verdict::faster);
  EXPECT_EQ(judged(-0.1, false).verdict, Verdict::faster);
  EXPECT_EQ(judged(-0.1, true).verdict, Verdict::slower);
  EXPECT_EQ(judged(0.001, true).verdict, Verdict::same);
}

TEST(Judge, a_change_beyond_counting_is_told_by_its_power_of_ten) {
  EXPECT_EQ(percent_text(0.0391), "+3.9 %");
  EXPECT_EQ(percent_text(0.0391, false), "3.9 %");
  EXPECT_EQ(percent_text(-0.0391, false), "−3.9 %");
  EXPECT_EQ(percent_text(1e300), "+1.00e302 %");
  EXPECT_EQ(percent_text(1e300, false), "1.00e302 %");
}

TEST(Judge, the_change_that_is_shown_keeps_its_sign) {
  EXPECT_NEAR(*judged(0.1, true).change, 0.1, 1e-12);
  EXPECT_GT(*judged(0.1, true).change_low, 0);
}

}  // namespace
}  // namespace plumbline
