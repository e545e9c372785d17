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

TEST(Multiplicity, what_is_no_probability_is_an_error) {
  const std::vector<double> above{0.1, 1.1}, unknown{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(benjamini_hochberg(above), Error);
  EXPECT_THROW(benjamini_hochberg(unknown), Error);
  EXPECT_THROW(simes(above), Error);
  EXPECT_THROW(simes({}), Error);
}

TEST(Multiplicity, simes_is_the_smallest_adjusted_p_value) {
  const std::vector<double> adjusted = benjamini_hochberg(vectors::kPValues);
  EXPECT_EQ(simes(vectors::kPValues), *std::ranges::min_element(adjusted));
}

TEST(Multiplicity, holm_multiplies_by_the_tests_that_are_left_and_never_falls) {
  // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005}, expected{0.03, 0.06, 0.06, 0.02};
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15) << i;
  EXPECT_TRUE(holm({}).empty());
  EXPECT_EQ(holm(std::vector<double>{0.9, 0.8}), (std::vector<double>{1, 1}));
}

TEST(HierarchicalBenjaminiHochberg, OfOneGroupIsTheFlatOne) {
  const std::vector<double> p{0.001, 0.2, 0.03, 0.9};
  const std::vector<std::size_t> one(4, 7);
  const auto tree = hierarchical_benjamini_hochberg(p, one, 0.05);
  const auto flat = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(tree[i] <= 0.05, flat[i] <= 0.05) << i;
  EXPECT_DOUBLE_EQ(tree[0], flat[0]);
}

TEST(HierarchicalBenjaminiHochberg, FindsMoreInAGroupThatIsHitAsAWhole) {
  // One group with all of its 20 members at p = 0.002; 980 others in 49 groups show nothing.
  std::vector<double> p(1000);
  std::vector<std::size_t> groups(1000);
  for (std::size_t i = 0; i < p.size(); ++i) {
    groups[i] = i / 20;
    p[i] = i < 20 ? 0.0002 : double(i % 97 + 1) / 98;
  }
  const auto tree = hierarchical_benjamini_hochberg(p, groups, 0.01);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_LE(tree[i], 0.01 + 1e-12) << i;
  for (std::size_t i = 20; i < p.size(); ++i) EXPECT_GT(tree[i], 0.01) << i;
}

TEST(HierarchicalBenjaminiHochberg, AMemberOfAGroupThatIsNotRejectedIsNotEither) {
  const std::vector<double> p{0.02, 0.9, 0.9, 0.9, 0.00001, 0.9};
  const std::vector<std::size_t> groups{0, 0, 0, 0, 1, 1};
  const auto tree = hierarchical_benjamini_hochberg(p, groups, 0.05);
  EXPECT_GT(tree[0], 0.05);
  EXPECT_LE(tree[4], 0.05);
}

TEST(HierarchicalBenjaminiHochberg, RefusesUnequalSizesAndARateThatIsNone) {
  const std::vector<double> p{0.1};
  EXPECT_THROW(hierarchical_benjamini_hochberg(p, {}, 0.05), Error);
  const std::vector<std::size_t> groups{0};
  EXPECT_THROW(hierarchical_benjamini_hochberg(p, groups, 0), Error);
}

}  // namespace
}  // namespace plumbline
