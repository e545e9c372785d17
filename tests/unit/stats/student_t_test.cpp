#include "stats/student_t.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "support/stat_vectors.h"

namespace plumbline {
namespace {

void expect_close(double found, double expected) {
  EXPECT_NEAR(found, expected, 1e-9 * std::abs(expected));
}

TEST(StudentT, distribution_agrees_with_scipy_far_into_the_tails) {
  for (const vectors::StudentCdf& row : vectors::kStudentCdfs) {
    SCOPED_TRACE(testing::Message() << "t " << row.t << ", df " << row.df);
    expect_close(student_t_cdf(row.t, row.df), row.cdf);
    expect_close(student_t_two_sided_p(row.t, row.df), row.two_sided_p);
  }
}

TEST(StudentT, quantiles_agree_with_scipy) {
  for (const vectors::StudentQuantile& row : vectors::kStudentQuantiles) {
    SCOPED_TRACE(testing::Message() << "p " << row.probability << ", df " << row.df);
    expect_close(student_t_quantile(row.probability, row.df), row.t);
    if (std::isinf(row.df)) expect_close(normal_quantile(row.probability), row.t);
  }
}

TEST(StudentT, interval_of_a_mean_agrees_with_scipy) {
  for (const vectors::MeanInterval& row : vectors::kMeanIntervals) {
    const Interval found = mean_interval(vectors::kA, row.confidence);
    expect_close(found.low, row.low);
    expect_close(found.high, row.high);
    expect_close(found.half_width(), (row.high - row.low) / 2);
  }
}

TEST(StudentT, bad_arguments_are_errors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(student_t_cdf(nan, 3), Error);
  EXPECT_THROW(student_t_cdf(1, 0), Error);
  EXPECT_THROW(student_t_quantile(0, 3), Error);
  EXPECT_THROW(student_t_quantile(nan, 3), Error);
  EXPECT_THROW(normal_quantile(1), Error);
  const std::vector<double> one{1}, two{1, 2}, bad{1, nan};
  EXPECT_THROW(mean_interval({}, 0.95), Error);
  EXPECT_THROW(mean_interval(one, 0.95), Error);
  EXPECT_THROW(mean_interval(two, 1), Error);
  EXPECT_THROW(mean_interval(bad, 0.95), Error);
}

/// By scipy 1.17.1: stats.ttest_1samp(values, 0, alternative="less"), and its confidence_interval()
/// of the two-sided test.
TEST(PairedLoss, a_loss_agrees_with_scipy) {
  const std::vector<double> values{-0.031, -0.012, -0.024, -0.018, 0.002};
  const PairedLoss loss = paired_loss(values, 0.95);
  EXPECT_NEAR(loss.p, 0.020883174143800032, 1e-9);
  EXPECT_NEAR(loss.interval.center, -0.0166, 1e-12);
  EXPECT_NEAR(loss.interval.low, -0.03219759316830322, 1e-9);
  EXPECT_NEAR(loss.interval.high, -0.0010024068316967782, 1e-9);
}

TEST(PairedLoss, a_gain_is_no_loss) {
  const std::vector<double> values{0.03, 0.01, 0.02};
  EXPECT_GT(paired_loss(values, 0.95).p, 0.9);
}

TEST(PairedLoss, equal_differences_decide_by_their_sign) {
  EXPECT_EQ(paired_loss(std::array{0.0, 0.0, 0.0}, 0.95).p, 1);
  EXPECT_EQ(paired_loss(std::array{-0.1, -0.1, -0.1}, 0.95).p, 0);
  const Interval interval = paired_loss(std::array{0.0, 0.0, 0.0}, 0.95).interval;
  EXPECT_EQ(interval.low, 0);
  EXPECT_EQ(interval.high, 0);
}

/// By scipy 1.17.1: the root of nct.sf(t.ppf(0.95, n - 1), n - 1, shift) = 0.8, times sd / √n.
TEST(PairedLoss, the_smallest_visible_loss_agrees_with_scipy) {
  EXPECT_NEAR(smallest_visible_loss(2, 3, 0.05, 0.8), 4.594549534610332, 1e-7);
  EXPECT_NEAR(smallest_visible_loss(2, 8, 0.05, 0.8), 1.956312171071193, 1e-7);
  EXPECT_NEAR(smallest_visible_loss(1, 2, 0.05, 0.8), 5.792801491690291, 1e-6);
  EXPECT_EQ(smallest_visible_loss(0, 3, 0.05, 0.8), 0);
}

TEST(PairedLoss, bad_arguments_are_errors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(paired_loss(std::array{1.0}, 0.95), Error);
  EXPECT_THROW(paired_loss(std::array{1.0, nan}, 0.95), Error);
  EXPECT_THROW(smallest_visible_loss(nan, 3, 0.05, 0.8), Error);
  EXPECT_THROW(smallest_visible_loss(1, 1, 0.05, 0.8), Error);
  EXPECT_THROW(smallest_visible_loss(1, 3, 0.05, 0.01), Error);
}

}  // namespace
}  // namespace plumbline
