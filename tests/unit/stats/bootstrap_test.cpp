#include "stats/bootstrap.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/error.h"
#include "stats/random_draws.h"

namespace plumbline {
namespace {

std::vector<double> planted(std::size_t n, double center, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(center, 1);
  std::vector<double> values(n);
  for (double& value : values) value = normal(random);
  return values;
}

TEST(RandomDraws, each_of_few_choices_comes_about_as_often_and_none_else) {
  RandomDraws draws(3);
  std::vector<int> seen(7);
  for (int i = 0; i < 70000; ++i) ++seen.at(draws.below(7));
  for (const int count : seen) EXPECT_NEAR(count, 10000, 500);  // five standard deviations
  EXPECT_EQ(draws.below(1), 0U);
}

TEST(Bootstrap, a_seed_gives_the_same_interval_and_another_seed_another) {
  const std::vector<double> values = planted(20, 0, 1);
  const auto low = [&](std::uint64_t seed) {
    return bootstrap(values, {.resamples = 500, .seed = seed}).interval.low;
  };
  EXPECT_EQ(low(1), low(1));
  EXPECT_NE(low(1), low(2));
}

TEST(Bootstrap, intervals_cover_a_planted_change_about_as_often_as_they_say) {
  for (const Center of : {Center::mean, Center::median})
    for (const BootstrapKind kind : {BootstrapKind::percentile, BootstrapKind::bca}) {
      int covered = 0;
      for (unsigned i = 0; i < 200; ++i) {
        const Interval found =
            bootstrap_shift(planted(40, 1, 2 * i), planted(50, 3, 2 * i + 1),
                            {.of = of, .kind = kind, .confidence = 0.9, .resamples = 200})
                .interval;
        covered += found.low <= 2 && 2 <= found.high;
      }
      EXPECT_GE(covered, 163);
      EXPECT_LE(covered, 197);
    }
}

TEST(Bootstrap, mistakes_are_errors) {
  const std::vector<double> one{1}, some{1, 2, 3};
  EXPECT_THROW(bootstrap(one, {}), Error);
  EXPECT_THROW(bootstrap_shift(some, one, {}), Error);
  EXPECT_THROW(bootstrap(some, {.confidence = 1}), Error);
  EXPECT_THROW(bootstrap(some, {.resamples = 1}), Error);
}

TEST(Bootstrap, bca_says_where_it_is_not_defined) {
  const std::vector<double> values{1, 2, 3, 4};
  bool was_refused = false;
  for (std::uint64_t seed = 0; seed < 50 && !was_refused; ++seed) {
    try {
      bootstrap(values, {.resamples = 2, .seed = seed});
    } catch (const Error& error) {
      was_refused = std::string(error.what()).find("use percentile") != std::string::npos;
    }
  }
  EXPECT_TRUE(was_refused);
}

}  // namespace
}  // namespace plumbline
