// Error rates of the confirmation by pairs: seeded, so a failure means that the method changed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "analysis/confirm/judge_pairs.h"
#include "unit/analysis/simulated_pairs.h"

namespace plumbline {
namespace {

using simulated::confirm;
using simulated::Outcome;
using simulated::PairedCase;
using simulated::World;

Outcome nights(int count, std::size_t flagged, double effect, double bimodal_share) {
  Outcome sum;
  for (int night = 1; night <= count; ++night) {
    World world(static_cast<std::uint64_t>(night));
    std::vector<PairedCase> cases;
    for (std::size_t i = 0; i < flagged; ++i)
      cases.push_back(world.make_case(effect, double(i) < bimodal_share * double(flagged)));
    const Outcome one = confirm(cases, world, default_paired_rule("cuda"));
    sum.slower += one.slower;
    sum.faster += one.faster;
    sum.same += one.same;
    sum.unresolved += one.unresolved;
    sum.pairs += one.pairs;
  }
  std::printf(
      "%d nights x %zu flagged, effect %+.1f %%, bimodal %.0f %%: SLOWER %zu, FASTER %zu, SAME "
      "%zu, "
      "UNRESOLVED %zu, %.1f pairs a case\n",
      count, flagged, 100 * std::expm1(effect), 100 * bimodal_share, sum.slower, sum.faster,
      sum.same, sum.unresolved, double(sum.pairs) / (count * double(flagged)));
  return sum;
}

// A screen of 10^4 cases flags about 300; many more than 2 % of these have modes.
TEST(PairedSimulation, unchanged_cases_raise_less_than_half_an_alarm_a_night) {
  const Outcome plain = nights(60, 200, 0, 0), modal = nights(60, 100, 0, 1);
  EXPECT_LE(plain.slower + plain.faster + modal.slower + modal.faster, 30u);
  EXPECT_EQ(plain.slower + plain.faster, 0u);
  EXPECT_GE(plain.same, plain.slower + std::size_t(0.99 * 60 * 200));
}

TEST(PairedSimulation, slowdowns_of_1_to_5_percent_are_found) {
  EXPECT_GE(nights(10, 200, std::log1p(0.05), 0.02).slower, 1980u);
  EXPECT_GE(nights(10, 200, std::log1p(0.03), 0.02).slower, 1960u);
  EXPECT_GE(nights(10, 200, std::log1p(0.02), 0.02).slower, 1940u);
  EXPECT_GE(nights(10, 200, std::log1p(0.01), 0.02).slower, 1900u);
}

TEST(PairedSimulation, intervals_cover_at_the_level_that_they_state) {
  const PairedRule rule = default_paired_rule("cuda");
  const double level = rule.false_discovery_rate / double(rule.looks.size());
  World world(5);
  std::size_t missed = 0;
  constexpr std::size_t kTrials = 6000;
  for (std::size_t i = 0; i < kTrials; ++i) {
    const PairedCase c = world.make_case(0.01, false);
    PairedSeries series;
    series.metric = "gpu_time_cold";
    while (series.differences.size() < 12) series.differences.push_back(world.difference(c));
    const PairedJudgement found = judge_pairs({series}, {rule.effect_floor}, rule, 0)[0];
    missed += found.low > c.effect || found.high < c.effect;
  }
  std::printf("intervals missed the truth in %zu of %zu, %.1f expected\n", missed, kTrials,
              level * double(kTrials));
  EXPECT_LE(double(missed), level * double(kTrials) + 3 * std::sqrt(level * double(kTrials)));
}

}  // namespace
}  // namespace plumbline
