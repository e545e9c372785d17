#include "analysis/estimate/ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "stats/descriptive.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

Estimate estimate_of(std::vector<double> logs) {
  Estimate made;
  double sum = 0, squares = 0;
  for (const double log : logs) sum += log;
  const double mean = sum / double(logs.size());
  for (const double log : logs) squares += (log - mean) * (log - mean);
  made.value = std::exp(mean);
  made.variance = logs.size() > 1 ? squares / double(logs.size() - 1) : kUnknown;
  made.logs = std::move(logs);
  return made;
}

/// Moved by one end of its interval, a side just differs from the other by Welch's test.
TEST(Ratio, HasTheIntervalOfWelch) {
  const std::vector<double> of{1.9, 2.0, 2.1}, to{0.8, 1.0, 1.2};
  const auto ratio = ratio_of(estimate_of(of), estimate_of(to), 0.95);
  ASSERT_TRUE(ratio && ratio->low && ratio->high);
  EXPECT_NEAR(ratio->value, std::exp(1.0), 1e-12);
  EXPECT_LT(*ratio->low, ratio->value);
  for (const double end : {*ratio->low, *ratio->high}) {
    std::vector<double> moved = to;
    for (double& log : moved) log += std::log(end);
    // Variances 0.01 and 0.04 of three visits each, with Satterthwaite's degrees of freedom.
    const double t = (mean(moved) - mean(of)) / std::sqrt(0.05 / 3);
    EXPECT_NEAR(student_t_two_sided_p(t, 50.0 / 17), 0.05, 1e-9);
  }
}

TEST(Ratio, OfOneVisitHasNoInterval) {
  const auto ratio = ratio_of(estimate_of({1.0}), estimate_of({0.8, 1.0}), 0.99);
  ASSERT_TRUE(ratio);
  EXPECT_FALSE(ratio->low || ratio->high);
}

TEST(Ratio, OfNothingIsNone) {
  Estimate zero;
  zero.value = 0;
  EXPECT_FALSE(ratio_of(zero, estimate_of({1.0, 1.1}), 0.99));
  EXPECT_FALSE(ratio_of(estimate_of({1.0, 1.1}), zero, 0.99));
}

}  // namespace
}  // namespace plumbline
