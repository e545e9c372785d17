#include "stats/random_draws.h"

#include <gtest/gtest.h>

#include <vector>

namespace plumbline {
namespace {

TEST(RandomDraws, each_of_few_choices_comes_about_as_often_and_none_else) {
  RandomDraws draws(3);
  std::vector<int> seen(7);
  for (int i = 0; i < 70000; ++i) ++seen.at(draws.below(7));
  for (const int count : seen) EXPECT_NEAR(count, 10000, 500);  // five standard deviations
  EXPECT_EQ(draws.below(1), 0U);
}

}  // namespace
}  // namespace plumbline
