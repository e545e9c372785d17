#include "stats/descriptive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/stat_vectors.h"

namespace plumbline {
namespace {

constexpr double kRelative = 1e-9;

void expect_close(double found, double expected) {
  EXPECT_NEAR(found, expected, kRelative * std::abs(expected));
}

TEST(Descriptive, agrees_with_scipy) {
  const std::vector<double>* lists[] = {&vectors::kA, &vectors::kB};
  for (std::size_t i = 0; i < 2; ++i) {
    expect_close(mean(*lists[i]), vectors::kDescriptives[i].mean);
    expect_close(variance(*lists[i]), vectors::kDescriptives[i].variance);
    expect_close(median(*lists[i]), vectors::kDescriptives[i].median);
    expect_close(median_absolute_deviation(*lists[i]), vectors::kDescriptives[i].mad);
  }
}

TEST(Descriptive, quantiles_are_of_type_7_like_those_of_numpy) {
  for (const vectors::Quantile& row : vectors::kQuantiles) {
    expect_close(quantile(vectors::kA, row.probability), row.of_a);
    expect_close(quantile(vectors::kB, row.probability), row.of_b);
    const std::vector<double> both = quantiles(vectors::kA, std::vector{0.5, row.probability});
    expect_close(both[0], median(vectors::kA));
    expect_close(both[1], row.of_a);
  }
}

TEST(Descriptive, variance_survives_a_mean_that_dwarfs_it) {
  const std::vector<double> values{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  EXPECT_DOUBLE_EQ(variance(values), 30);
}

TEST(Descriptive, equal_values_are_their_mean_and_do_not_vary) {
  for (const double value : {0.1, 123.456, 1e-300, 7e99})
    for (std::size_t n = 2; n <= 40; ++n) {
      const std::vector<double> values(n, value);
      EXPECT_EQ(mean(values), value) << n;
      EXPECT_EQ(variance(values), 0) << n;
    }
}

TEST(Descriptive, a_mean_keeps_what_lies_behind_a_large_offset) {
  std::vector<double> values;
  for (int i = 0; i < 100'000; ++i) values.push_back(1e12 + (i % 7 - 3));
  double offsets = 0;
  for (const double value : values) offsets += value - 1e12;
  EXPECT_NEAR(mean(values) - 1e12, offsets / 1e5, 1.3e-4);  // the spacing of doubles at this size
}

TEST(Descriptive, numbers_beyond_double_precision_are_errors_and_not_answers) {
  EXPECT_THROW(mean(std::vector<double>{1.7e308, 1.7e308}), Error);
  EXPECT_THROW(variance(std::vector<double>{1e-170, 1.1e-170}), Error);
  EXPECT_THROW(variance(std::vector<double>{1e170, 3e170}), Error);
}

TEST(Descriptive, one_value_is_its_own_quantile_and_has_no_variance) {
  const std::vector<double> one{3.5};
  EXPECT_EQ(quantile(one, 0), 3.5);
  EXPECT_EQ(quantile(one, 1), 3.5);
  EXPECT_EQ(median_absolute_deviation(one), 0);
  EXPECT_THROW(variance(one), Error);
}

TEST(Descriptive, empty_input_and_numbers_that_are_none_are_errors_that_say_where) {
  EXPECT_THROW(mean({}), Error);
  EXPECT_THROW(median({}), Error);
  EXPECT_THROW(median_absolute_deviation({}), Error);
  const std::vector<double> bad{1, 2, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(mean(bad), Error);
  EXPECT_THROW(variance(bad), Error);
  try {
    median(bad);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("value 3 of 3"), std::string::npos) << error.what();
  }
  const std::vector<double> good{1, 2};
  EXPECT_THROW(quantile(good, 1.5), Error);
  EXPECT_THROW(quantile(good, std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(quantiles(good, std::vector{0.5, 1.5}), Error);
}

}  // namespace
}  // namespace plumbline
