#include "stats/proportion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace plumbline {
namespace {

/// P(X ≥ k) for n trials.
double at_least(std::size_t k, std::size_t n, double p) {
  double sum = 0;
  for (std::size_t i = k; i <= n; ++i)
    sum += std::exp(std::lgamma(double(n) + 1) - std::lgamma(double(i) + 1) -
                    std::lgamma(double(n - i) + 1) + double(i) * std::log(p) +
                    double(n - i) * std::log1p(-p));
  return sum;
}

TEST(Proportion, none_of_12_is_below_22_percent_and_all_of_12_above_78) {
  EXPECT_NEAR(proportion_bounds(0, 12, 0.95).high, 1 - std::pow(0.05, 1.0 / 12), 1e-12);
  EXPECT_EQ(proportion_bounds(0, 12, 0.95).low, 0);
  EXPECT_NEAR(proportion_bounds(12, 12, 0.95).low, std::pow(0.05, 1.0 / 12), 1e-12);
  EXPECT_EQ(proportion_bounds(12, 12, 0.95).high, 1);
}

TEST(Proportion, at_its_bounds_a_count_is_just_as_unlikely_as_the_confidence_says) {
  const ProportionBounds bounds = proportion_bounds(17, 400, 0.95);
  EXPECT_NEAR(at_least(17, 400, bounds.low), 0.05, 1e-9);
  EXPECT_NEAR(1 - at_least(18, 400, bounds.high), 0.05, 1e-9);
}

TEST(Proportion, of_nothing_nothing_is_known) {
  EXPECT_EQ(proportion_bounds(0, 0, 0.95).low, 0);
  EXPECT_EQ(proportion_bounds(0, 0, 0.95).high, 1);
}

TEST(Proportion, more_than_all_is_an_error) {
  EXPECT_THROW(proportion_bounds(3, 2, 0.95), Error);
  EXPECT_THROW(proportion_bounds(1, 2, 1), Error);
}

}  // namespace
}  // namespace plumbline
