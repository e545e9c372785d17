#include "stats/moderation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/error.h"
#include "support/stat_vectors.h"

namespace plumbline {
namespace {

void expect_close(double found, double expected) {
  EXPECT_NEAR(found, expected, 1e-9 * std::abs(expected));
}

TEST(Moderation, inverse_of_trigamma_takes_the_values_of_scipy_back) {
  for (const vectors::TrigammaPair& row : vectors::kTrigammaPairs)
    expect_close(trigamma_inverse(row.trigamma), row.x);
}

TEST(Moderation, prior_and_variances_agree_with_limmas_formulas_a_zero_among_them) {
  const VariancePrior prior = fit_variance_prior(vectors::kVariances, vectors::kDfs);
  expect_close(prior.df, vectors::kPriors[0].df);
  expect_close(prior.variance, vectors::kPriors[0].variance);
  for (std::size_t i = 0; i < vectors::kVariances.size(); ++i)
    expect_close(moderated_variance(vectors::kVariances[i], vectors::kDfs[i], prior),
                 vectors::kModerated[i]);
}

TEST(Moderation, variances_that_differ_less_than_chance_are_taken_as_one) {
  const VariancePrior prior = fit_variance_prior(vectors::kSteadyVariances, vectors::kDfs);
  EXPECT_TRUE(std::isinf(prior.df));
  expect_close(prior.variance, vectors::kPriors[1].variance);
  EXPECT_EQ(moderated_variance(17, 4, prior), prior.variance);
}

TEST(Moderation, a_planted_prior_is_found_again) {
  std::mt19937_64 random(7);
  std::chi_squared_distribution<double> prior_chi(10), sample_chi(4);
  std::vector<double> variances(20000), dfs(20000, 4);
  for (double& v : variances) v = 3e-6 * 10 / prior_chi(random) * sample_chi(random) / 4;
  const VariancePrior prior = fit_variance_prior(variances, dfs);
  EXPECT_NEAR(prior.df, 10, 1.5);
  EXPECT_NEAR(prior.variance, 3e-6, 0.1e-6);
}

TEST(Moderation, nothing_is_learned_from_one_variance_or_from_zeros) {
  const std::vector<double> one{2e-6}, one_df{4}, zeros{0, 0, 0}, dfs{4, 4, 4};
  EXPECT_EQ(fit_variance_prior(one, one_df).df, 0);
  EXPECT_EQ(fit_variance_prior(zeros, dfs).df, 0);
  EXPECT_EQ(moderated_variance(2e-6, 4, {}), 2e-6);
}

TEST(Moderation, ratios_of_variances_have_the_tails_of_f) {
  // scipy.stats.f.sf(4.102821, 2, 10), .f.sf(6.388233, 4, 4), .f.sf(1, 3, 3)
  EXPECT_NEAR(p_of_variance_ratio(4.102821, 2, 10), 0.05, 1e-7);
  EXPECT_NEAR(p_of_variance_ratio(6.388233, 4, 4), 0.05, 1e-7);
  EXPECT_NEAR(p_of_variance_ratio(1, 3, 3), 0.5, 1e-12);
  EXPECT_EQ(p_of_variance_ratio(0, 2, 10), 1);
  EXPECT_EQ(p_of_variance_ratio(std::numeric_limits<double>::infinity(), 2, 10), 0);
  EXPECT_THROW(p_of_variance_ratio(-1, 2, 10), Error);
  EXPECT_THROW(p_of_variance_ratio(1, 0, 10), Error);
}

TEST(Moderation, bad_arguments_are_errors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> two{1, 2}, one{1}, negative{1, -1}, unknown{1, nan}, zero{1, 0};
  EXPECT_THROW(fit_variance_prior({}, {}), Error);
  EXPECT_THROW(fit_variance_prior(two, one), Error);
  EXPECT_THROW(fit_variance_prior(negative, two), Error);
  EXPECT_THROW(fit_variance_prior(unknown, two), Error);
  EXPECT_THROW(fit_variance_prior(two, zero), Error);
  EXPECT_THROW(moderated_variance(nan, 4, {}), Error);
  EXPECT_THROW(trigamma_inverse(0), Error);
  EXPECT_THROW(trigamma_inverse(nan), Error);
}

TEST(MedianVarianceRatio, IsWhereHalfOfTheRatiosLie) {
  // For 2 and 4 degrees of freedom the upper tail is (1 + x / 2)^-2.
  EXPECT_NEAR(median_variance_ratio(2, 4), 2 * (std::sqrt(2.0) - 1), 1e-12);
  EXPECT_NEAR(p_of_variance_ratio(median_variance_ratio(3, 5), 3, 5), 0.5, 1e-12);
  EXPECT_THROW(median_variance_ratio(0, 4), Error);
}

}  // namespace
}  // namespace plumbline
