// The sign-flip test where signs can be counted out, and where there are too many.
#include "stats/sign_flip.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "support/time_limit.h"

namespace plumbline {
namespace {

std::vector<double> differences(std::size_t count, double shift, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(shift, 1);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

TEST(SignFlip, saddlepoint_agrees_with_all_signs_counted_within_the_error_it_states) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const double shift : {0.0, 0.05, 0.3, 0.6, -0.9}) {
      const auto values = differences(40, shift, seed);
      const double exact = sign_flip(values, Alternative::greater, Method::exact, 1, 1).p_value;
      const SignFlip fast = sign_flip(values, Alternative::greater, Method::asymptotic, 1, 1);
      if (exact < 1e-7) continue;  // few sums are as large: their steps show
      EXPECT_NEAR(fast.p_value, exact, 0.03 * exact) << shift;
      worst = std::max(worst, std::abs(fast.p_value - exact) / fast.error);
    }
  std::printf("off by %.2f of the stated error at most\n", worst);
  EXPECT_LT(worst, 1);
}

TEST(SignFlip, of_a_million_values_takes_less_than_two_seconds_and_states_its_error) {
  const auto values = differences(1'000'000, 0.002, 8);
  const auto start = std::chrono::steady_clock::now();
  const SignFlip found = sign_flip(values, Alternative::two_sided, Method::automatic, 9999, 1);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), time_limit_s(2));
  EXPECT_EQ(found.method, Method::asymptotic);
  double sum = 0, squares = 0;
  for (const double value : values) sum += value, squares += value * value;
  const double normal = std::erfc(std::abs(sum) / std::sqrt(2 * squares));
  EXPECT_NEAR(found.p_value / normal, 1, 1e-4);
  EXPECT_GT(found.error, 0);
  EXPECT_LT(found.error, 1e-5 * found.p_value);
}

TEST(SignFlip, of_values_that_all_point_one_way_is_half_to_the_power_of_their_number) {
  const std::vector<double> all_up(60, 1.5);
  const SignFlip found = sign_flip(all_up, Alternative::greater, Method::asymptotic, 1, 1);
  EXPECT_DOUBLE_EQ(found.p_value, std::exp2(-60));
  EXPECT_EQ(sign_flip(all_up, Alternative::less, Method::asymptotic, 1, 1).p_value, 1);
  const std::vector<double> zeros(50, 0.0);
  EXPECT_EQ(sign_flip(zeros, Alternative::two_sided, Method::asymptotic, 1, 1).p_value, 1);
}

TEST(SignFlip, of_random_signs_states_the_standard_error_of_its_p_value) {
  const auto values = differences(100, 0.1, 9);
  double sum = 0, squares = 0, stated = 0;
  constexpr int kSeeds = 200;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const SignFlip found =
        sign_flip(values, Alternative::greater, Method::monte_carlo, 500, std::uint64_t(seed));
    sum += found.p_value;
    squares += found.p_value * found.p_value;
    stated += found.error / kSeeds;
  }
  const double scatter = std::sqrt(squares / kSeeds - std::pow(sum / kSeeds, 2));
  EXPECT_NEAR(stated / scatter, 1, 0.2);
}

}  // namespace
}  // namespace plumbline
