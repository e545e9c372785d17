#include "stats/multiplicity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.h"
#include "support/stat_vectors.h"

namespace plumbline {
namespace {

TEST(Multiplicity, adjusted_p_values_agree_with_statsmodels_ties_and_zero_among_them) {
  const std::vector<double> adjusted = benjamini_hochberg(vectors::kPValues);
  ASSERT_EQ(adjusted.size(), vectors::kAdjusted.size());
  for (std::size_t i = 0; i < adjusted.size(); ++i)
    EXPECT_NEAR(adjusted[i], vectors::kAdjusted[i], 1e-12);
}

TEST(Multiplicity, no_tests_give_no_result_and_one_test_stays_as_it_is) {
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  const std::vector<double> one{0.03};
  EXPECT_EQ(benjamini_hochberg(one), one);
}

TEST(Multiplicity, stricter_promises_give_larger_p_values) {
  const auto bh = benjamini_hochberg(vectors::kPValues),
             by = benjamini_yekutieli(vectors::kPValues), strict = holm(vectors::kPValues);
  for (std::size_t i = 0; i < bh.size(); ++i) {
    EXPECT_GE(bh[i], vectors::kPValues[i]);
    EXPECT_GE(by[i], bh[i]);
    EXPECT_GE(strict[i], bh[i]);
  }
  EXPECT_EQ(simes(vectors::kPValues), *std::ranges::min_element(bh));
  EXPECT_TRUE(holm({}).empty());
  EXPECT_TRUE(benjamini_yekutieli({}).empty());
  EXPECT_THROW(simes({}), Error);
}

TEST(Multiplicity, what_is_no_probability_is_an_error) {
  const std::vector<double> above{0.1, 1.1}, unknown{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(benjamini_hochberg(above), Error);
  EXPECT_THROW(benjamini_hochberg(unknown), Error);
  EXPECT_THROW(benjamini_yekutieli(above), Error);
  EXPECT_THROW(holm(unknown), Error);
  EXPECT_THROW(simes(above), Error);
}

}  // namespace
}  // namespace plumbline
