#include "stats/rank_tests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/error.h"
#include "stats/hodges_lehmann.h"
#include "stats/sign_flip.h"

namespace plumbline {
namespace {

using enum Alternative;
constexpr Alternative kSides[] = {two_sided, less, greater};

/// Outcomes equally likely where nothing is going on: no more than a share α of them may have p ≤
/// α.
void expect_valid(std::vector<double> p_values) {
  std::ranges::sort(p_values);
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    const bool is_last_of_its_kind = i + 1 == p_values.size() || p_values[i + 1] > p_values[i];
    if (!is_last_of_its_kind) continue;
    const double share = static_cast<double>(i + 1) / static_cast<double>(p_values.size());
    EXPECT_LE(share, p_values[i] * (1 + 1e-12));
  }
}

/// p of every way to deal the values to two lists, the first of `n_a`.
std::vector<double> p_of_all_deals(const std::vector<double>& values, std::size_t n_a,
                                   Alternative side) {
  std::vector<double> found;
  std::vector<char> is_a(values.size());
  std::fill(is_a.end() - static_cast<std::ptrdiff_t>(n_a), is_a.end(), 1);
  do {
    std::vector<double> a, b;
    for (std::size_t i = 0; i < values.size(); ++i) (is_a[i] ? a : b).push_back(values[i]);
    found.push_back(mann_whitney(a, b, side).p_value);
  } while (std::ranges::next_permutation(is_a).found);
  return found;
}

/// p of every choice of signs.
std::vector<double> p_of_all_signs(std::vector<double> sizes,
                                   const std::function<double(std::span<const double>)>& p_of) {
  std::vector<double> found;
  for (std::size_t signs = 0; signs < std::size_t{1} << sizes.size(); ++signs) {
    std::vector<double> values = sizes;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (signs >> i & 1) values[i] = -values[i];
    found.push_back(p_of(values));
  }
  return found;
}

std::vector<double> random_values(std::size_t n, unsigned seed, double shift = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(shift, 1);
  std::vector<double> values(n);
  for (double& value : values) value = normal(random);
  return values;
}

TEST(MannWhitney, lists_that_do_not_overlap_have_the_smallest_p_that_there_is) {
  double ways = 2;  // to deal out 2n values: C(2n, n)
  for (std::size_t n = 1; n <= 20; ++n) {
    std::vector<double> a(n), b(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = static_cast<double>(i);
      b[i] = 100 + a[i];
    }
    EXPECT_NEAR(mann_whitney(a, b, greater).p_value * ways, 1, 1e-9) << n;
    EXPECT_NEAR(mann_whitney(a, b, two_sided).p_value * ways, 2, 1e-9) << n;
    EXPECT_EQ(mann_whitney(a, b, less).p_value, 1) << n;
    const auto next = static_cast<double>(n + 1);
    ways *= (2 * next) * (2 * next - 1) / (next * next);
  }
}

TEST(MannWhitney, p_is_valid_over_all_deals_with_ties_and_lists_of_unlike_length) {
  const std::vector<double> distinct{1, 2, 3, 4, 5, 6, 7, 8}, tied{0, 0, 0, 1, 1, 2, 5, 5};
  for (const Alternative side : kSides)
    for (const std::size_t n_a : {2, 4, 5}) {
      expect_valid(p_of_all_deals(distinct, n_a, side));
      expect_valid(p_of_all_deals(tied, n_a, side));
    }
}

TEST(MannWhitney, exchanged_lists_exchange_the_sides) {
  const std::vector<double> a{1, 2, 2, 3, 7}, b{2, 3, 3, 9, 9, 9, 11};
  const std::vector<double> large_a = random_values(30, 1), large_b = random_values(41, 2, 0.3);
  for (const auto& [first, second] : {std::pair{a, b}, {large_a, large_b}}) {
    EXPECT_NEAR(mann_whitney(first, second, less).p_value,
                mann_whitney(second, first, greater).p_value, 1e-12);
    EXPECT_NEAR(mann_whitney(first, second, two_sided).p_value,
                mann_whitney(second, first, two_sided).p_value, 1e-12);
    EXPECT_EQ(mann_whitney(first, second, less).u + mann_whitney(second, first, less).u,
              static_cast<double>(first.size() * second.size()));
  }
}

TEST(MannWhitney, is_exact_up_to_20_a_side_and_said_to_be_asymptotic_beyond) {
  const auto method = [](std::size_t n_a, std::size_t n_b) {
    return mann_whitney(random_values(n_a, 1), random_values(n_b, 2), two_sided).method;
  };
  EXPECT_EQ(method(20, 20), Method::exact);
  EXPECT_EQ(method(8, 400), Method::exact);
  EXPECT_EQ(method(21, 20), Method::asymptotic);
  EXPECT_EQ(method(9, 21), Method::asymptotic);
  EXPECT_EQ(method(8, 401), Method::asymptotic);
}

TEST(MannWhitney, the_approximation_is_near_the_exact_p) {
  const std::vector<double> a = random_values(30, 3), b = random_values(30, 4, 0.4);
  const double exact = mann_whitney(a, b, two_sided, Method::exact).p_value;
  EXPECT_NEAR(mann_whitney(a, b, two_sided).p_value / exact, 1, 0.05);
}

TEST(MannWhitney, mistakes_are_errors) {
  const std::vector<double> some{1, 2}, many(2000, 1);
  EXPECT_THROW(mann_whitney({}, some, two_sided), Error);
  EXPECT_THROW(mann_whitney(some, {}, two_sided), Error);
  EXPECT_THROW(mann_whitney(some, some, two_sided, Method::monte_carlo), Error);
  EXPECT_THROW(mann_whitney(many, many, two_sided, Method::exact), Error);
}

TEST(Wilcoxon, p_is_valid_over_all_signs_with_ties) {
  const std::vector<double> distinct{1, 2, 3, 4, 5, 6, 7, 8}, tied{1, 1, 1, 2, 2, 3, 7, 7};
  for (const Alternative side : kSides)
    for (const auto& sizes : {distinct, tied})
      expect_valid(p_of_all_signs(sizes, [side](std::span<const double> values) {
        return wilcoxon_signed_rank(values, side).p_value;
      }));
}

TEST(Wilcoxon, zeros_say_nothing_and_are_counted) {
  const std::vector<double> with{0, 3, -1, 0, 2, 5}, without{3, -1, 2, 5};
  const SignedRank found = wilcoxon_signed_rank(with, two_sided);
  EXPECT_EQ(found.p_value, wilcoxon_signed_rank(without, two_sided).p_value);
  EXPECT_EQ(found.zeros, 2U);
  EXPECT_EQ(found.used, 4U);
  EXPECT_EQ(found.positive + found.negative, 10);
}

TEST(Wilcoxon, mistakes_are_errors) {
  const std::vector<double> some{1, 2}, many(1001, 1);
  EXPECT_THROW(wilcoxon_signed_rank({}, two_sided), Error);
  EXPECT_THROW(wilcoxon_signed_rank(some, two_sided, Method::table), Error);
  EXPECT_THROW(wilcoxon_signed_rank(many, two_sided, Method::exact), Error);
}

TEST(SignFlip, p_is_valid_over_all_signs_with_ties) {
  const std::vector<double> uneven{0.1, 0.3, 0.7, 1.1, 2.9, 3.1, 8}, tied{0.1, 0.1, 0.2, 0.3, 0.3};
  for (const Alternative side : kSides)
    for (const auto& sizes : {uneven, tied})
      expect_valid(p_of_all_signs(sizes, [side](std::span<const double> values) {
        return sign_flip(values, side, Method::automatic, 0, 0).p_value;
      }));
}

TEST(SignFlip, pairs_that_all_rise_have_the_smallest_p_that_there_is) {
  for (const int n : {1, 6, 24, 40}) {
    std::vector<double> values = random_values(static_cast<std::size_t>(n), 5);
    for (double& value : values) value = std::abs(value);
    EXPECT_EQ(sign_flip(values, two_sided, Method::exact, 0, 0).p_value, std::ldexp(2, -n)) << n;
  }
}

TEST(SignFlip, random_signs_come_near_the_exact_p_and_never_reach_0) {
  const std::vector<double> values = random_values(30, 6, 0.4);
  const double exact = sign_flip(values, two_sided, Method::exact, 0, 0).p_value;
  const auto drawn = [&](std::uint64_t seed) {
    return sign_flip(values, two_sided, Method::monte_carlo, 20000, seed).p_value;
  };
  EXPECT_NEAR(drawn(1), exact, 5 * std::sqrt(2 * exact / 20000));
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
  const std::vector<double> rising(60, 1);
  const SignFlip found = sign_flip(rising, greater, Method::automatic, 99, 1);
  EXPECT_EQ(found.method, Method::monte_carlo);
  EXPECT_EQ(found.p_value, 0.01);
}

TEST(SignFlip, small_differences_beside_a_large_one_are_told_apart) {
  const std::vector<double> values{1e13, 1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(sign_flip(values, Alternative::greater, Method::exact, 0, 0).p_value, 1.0 / 32);
}

TEST(SignFlip, mistakes_are_errors) {
  EXPECT_THROW(
      sign_flip(std::vector<double>{1.7e308, 1.6e308}, Alternative::greater, Method::exact, 0, 0),
      Error);
  const std::vector<double> some{1, 2}, many(41, 1);
  EXPECT_THROW(sign_flip({}, two_sided, Method::automatic, 9, 1), Error);
  EXPECT_THROW(sign_flip(some, two_sided, Method::table, 9, 1), Error);
  EXPECT_THROW(sign_flip(many, two_sided, Method::exact, 9, 1), Error);
}

TEST(HodgesLehmann, interval_leaves_0_out_exactly_where_the_test_rejects_it) {
  int rejected = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<double> a = random_values(9, 2 * seed);
    const std::vector<double> b = random_values(7, 2 * seed + 1, 0.8);
    for (const double confidence : {0.9, 0.95}) {
      const Interval center = hodges_lehmann(b, confidence).interval;
      EXPECT_EQ(center.low > 0 || center.high < 0,
                wilcoxon_signed_rank(b, two_sided).p_value <= 1 - confidence);
      const Interval shift = hodges_lehmann_shift(a, b, confidence).interval;
      const bool is_out = shift.low > 0 || shift.high < 0;
      EXPECT_EQ(is_out, mann_whitney(a, b, two_sided).p_value <= 1 - confidence);
      rejected += is_out;
    }
  }
  EXPECT_GT(rejected, 40);
  EXPECT_LT(rejected, 360);
}

TEST(HodgesLehmann, a_planted_shift_is_found_in_lists_too_long_to_write_all_differences_down) {
  std::vector<double> a = random_values(20000, 7), b = random_values(30000, 8, 0.25);
  const OrderInterval found = hodges_lehmann_shift(a, b, 0.999);
  EXPECT_LT(found.interval.low, 0.25);
  EXPECT_GT(found.interval.high, 0.25);
  EXPECT_LT(found.interval.half_width(), 0.05);
  EXPECT_EQ(found.method, Method::asymptotic);
  EXPECT_NEAR(hodges_lehmann(b, 0.999).interval.center, 0.25, 0.03);
}

TEST(HodgesLehmann, a_confidence_that_is_reached_to_the_last_digit_counts_as_reached) {
  const std::vector<double> a{1, 2, 3}, b{4, 6, 9};
  EXPECT_NEAR(hodges_lehmann_shift(a, b, 0.9).coverage, 0.9, 1e-12);  // 1 - 2/20
  EXPECT_EQ(hodges_lehmann_shift(a, b, 0.9).interval.low, 1);
}

}  // namespace
}  // namespace plumbline
