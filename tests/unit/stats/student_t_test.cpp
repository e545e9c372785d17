#include "stats/student_t.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace plumbline
