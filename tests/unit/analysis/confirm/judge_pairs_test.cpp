#include "analysis/confirm/judge_pairs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/confirm/paired_comparison.h"
#include "core/error.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

/// Two runs whose rounds are pairs of one case: `effect` on B, shared placements, drift within the
/// four visits.
struct PlantedPairs {
  Run a, b;

  void add_visit(Run& run, std::int64_t pair, std::int64_t order,
                 const std::vector<double>& blocks) {
    ResultRow row;
    row.suite = "s";
    row.case_id = "op/libtorch/n=1";
    row.op = "op";
    row.backend = "libtorch";
    row.metric = "gpu_time_cold";
    row.unit = "s";
    row.round = pair;
    row.order = order;
    row.worker = "timing-" + std::to_string(pair);
    for (const double block : blocks) row.samples.add_block(std::vector<double>{block});
    run.rows.push_back(row);
  }

  void add_pair(std::int64_t pair, double effect, SyntheticNoise& noise, double placement_sd,
                double drift, double noise_sd = 0) {
    std::vector<double> placements(8);
    for (double& place : placements) place = placement_sd * noise.normal();
    for (int i = 0; i < 4; ++i) {
      const bool is_b = i == 1 || i == 2;
      std::vector<double> blocks;
      for (const double place : placements)
        blocks.push_back(1e-5 * std::exp(place + drift * i + noise_sd * noise.normal() +
                                         (is_b ? std::log1p(effect) : 0)));
      add_visit(is_b ? b : a, pair, i, blocks);
    }
  }
};

PlantedPairs planted(std::int64_t pairs, double effect, double noise_sd = 0) {
  PlantedPairs made;
  for (Run* run : {&made.a, &made.b}) {
    Environment& here = run->info.environment;
    here.device_kind = "cuda";
    here.device_class = "GPU";
    here.device_units = 132;
  }
  SyntheticNoise noise(7);
  for (std::int64_t pair = 0; pair < pairs; ++pair)
    made.add_pair(pair, effect, noise, 0.05, 0.01, noise_sd);
  return made;
}

TEST(PairedSeries, PlacementsAndALinearDriftCancelExactly) {
  const PlantedPairs pairs = planted(6, 0.02);
  const auto series = paired_series(pairs.a, pairs.b);
  ASSERT_EQ(series.size(), 1u);
  ASSERT_EQ(series[0].differences.size(), 6u);
  for (const double d : series[0].differences) EXPECT_NEAR(d, std::log1p(0.02), 1e-12);
}

TEST(PairedSeries, UsesOnlyTheBlocksThatAllFourVisitsHave) {
  PlantedPairs pairs;
  pairs.add_visit(pairs.a, 0, 0, {1, 2, 1000});
  pairs.add_visit(pairs.b, 0, 1, {1, 2});
  pairs.add_visit(pairs.b, 0, 2, {1, 2});
  pairs.add_visit(pairs.a, 0, 3, {1, 2, 1000});
  EXPECT_NEAR(paired_series(pairs.a, pairs.b)[0].differences.at(0), 0, 1e-12);
}

TEST(PairedSeries, DiscardsAndCountsAPairThatLostBlocksToACauseOutside) {
  PlantedPairs pairs = planted(4, 0);
  pairs.b.rows[2].block_causes = {"", "thermal", "", "", "", "", "", ""};
  const auto series = paired_series(pairs.a, pairs.b);
  EXPECT_EQ(series[0].differences.size(), 3u);
  EXPECT_EQ(series[0].discarded, 1u);
}

TEST(PairedSeries, APairThatIsNotWholeDoesNotCount) {
  PlantedPairs pairs = planted(4, 0);
  pairs.b.rows.pop_back();
  EXPECT_EQ(paired_series(pairs.a, pairs.b)[0].differences.size(), 3u);
  EXPECT_EQ(paired_series(pairs.a, pairs.b)[0].discarded, 0u);
}

PairedJudgement judged(std::vector<double> differences, std::size_t look = 0,
                       const PairedRule& rule = {}) {
  PairedSeries series;
  series.metric = "gpu_time_cold";
  series.differences = std::move(differences);
  return judge_pairs({series}, {rule.effect_floor}, rule, look)[0];
}

std::vector<double> noisy(std::size_t n, double middle, double sd, std::uint64_t seed = 3) {
  SyntheticNoise noise(seed);
  std::vector<double> values(n);
  for (double& value : values) value = middle + sd * noise.normal();
  return values;
}

TEST(JudgePairs, FindsASlowdownAndASpeedup) {
  EXPECT_EQ(judged(noisy(12, 0.02, 0.003)).verdict, Verdict::slower);
  EXPECT_EQ(judged(noisy(12, -0.02, 0.003)).verdict, Verdict::faster);
}

TEST(JudgePairs, CallsSameOnlyWhatIsInsideTheMargin) {
  EXPECT_EQ(judged(noisy(12, 0, 0.003)).verdict, Verdict::same);
  EXPECT_EQ(judged(noisy(12, 0, 0.04)).verdict, Verdict::unresolved);
}

TEST(JudgePairs, AChangeBelowTheFloorIsNoSlowdown) {
  const PairedJudgement found = judged(noisy(12, 0.002, 0.0005));
  EXPECT_GT(found.low, 0);
  EXPECT_EQ(found.verdict, Verdict::same);
}

TEST(JudgePairs, TwoProcessModesThatFallOnOneSideByChanceAreNotSlower) {
  // Differences of a case whose processes take one of two times that are 5 % apart.
  EXPECT_EQ(judged({0, .05, 0, 0, .05, 0, .05, 0, -.05, 0, 0, .05}).verdict, Verdict::unresolved);
}

TEST(JudgePairs, ThreePairsShowALargeChange) {
  EXPECT_EQ(judged(noisy(3, std::log1p(0.2), 0.004)).verdict, Verdict::slower);
  EXPECT_EQ(judged(noisy(3, -std::log1p(0.2), 0.004)).verdict, Verdict::faster);
}

TEST(JudgePairs, FewPairsOfProcessesOfAnotherKindAreNotSlower) {
  EXPECT_EQ(judged({0.0600, 0.0601, 0.0599}).verdict, Verdict::unresolved);
  EXPECT_EQ(judged({0.0600, 0.0601, 0.0599, 0.06, 0.0602, 0.06}, 1).verdict, Verdict::slower);
}

TEST(JudgePairs, FewPairsCallSameOnlyWhatIsWithinTheFloor) {
  const std::vector<double> slightly{.0100, .0101, .0099, .0100, .0102, .0100};
  EXPECT_EQ(judged({slightly.begin(), slightly.begin() + 3}).verdict, Verdict::unresolved);
  EXPECT_EQ(judged(slightly, 1).verdict, Verdict::slower);
  EXPECT_EQ(judged({.0001, 0, .0001, 0, -.0001, 0}, 1).verdict, Verdict::same);
}

/// 20,000 unchanged cases, each looked at to the end: at most the rate times 20,000 may be called.
TEST(JudgePairs, AllLooksTogetherKeepTheRate) {
  constexpr int kCases = 20'000;
  const PairedRule rule{.effect_floor = 0, .early_floor = 0};
  SyntheticNoise noise(5);
  int alarms = 0;
  for (int i = 0; i < kCases; ++i) {
    PairedSeries series;
    series.metric = "gpu_time_cold";
    Verdict verdict = Verdict::unresolved;
    for (std::size_t look = 0; look < rule.looks.size() && verdict == Verdict::unresolved; ++look) {
      while (series.differences.size() < rule.looks[look])
        series.differences.push_back(0.02 * noise.normal());
      verdict = judge_pairs({series}, {0}, rule, look)[0].verdict;
    }
    alarms += verdict == Verdict::slower || verdict == Verdict::faster;
  }
  EXPECT_LT(alarms, kCases * rule.false_discovery_rate);
  EXPECT_GT(alarms, kCases * rule.false_discovery_rate / 5) << "no look is without its share";
}

TEST(JudgePairs, MoreTestsAskForMore) {
  PairedSeries series;
  series.metric = "gpu_time_cold";
  series.differences = noisy(12, 0.006, 0.0045);
  PairedSeries null = series;
  null.differences = noisy(12, 0, 0.0045, 11);
  const std::vector<PairedSeries> few{series};
  std::vector<PairedSeries> many{series};
  many.resize(500, null);
  const PairedRule rule;
  const auto alone = judge_pairs(few, {0.005}, rule, 0)[0];
  const auto among = judge_pairs(many, std::vector<double>(500, 0.005), rule, 0)[0];
  EXPECT_EQ(alone.verdict, Verdict::slower);
  EXPECT_GT(among.adjusted_p, 5 * alone.adjusted_p);
}

TEST(JudgePairs, RatesAreBetterWhenMore) {
  PairedSeries series;
  series.metric = "speedup";
  series.differences = noisy(12, -0.05, 0.003);
  EXPECT_EQ(judge_pairs({series}, {0.005}, {}, 0)[0].verdict, Verdict::slower);
}

TEST(JudgePairs, FewPairsHaveAnIntervalThatCovers) {
  const PairedJudgement found = judged({0.001, 0.002, 0.0015}, 0, {.looks = {3}});
  EXPECT_LT(found.low, 0) << "three values cannot exclude 0 at 99 %";
  EXPECT_EQ(judged({0.01}, 0, {.looks = {2}}).verdict, Verdict::unresolved);
}

TEST(JudgePairs, RefusesARuleThatIsNone) {
  EXPECT_THROW(judged({0, 0}, 5), Error);
  EXPECT_THROW(judged({0, 0}, 0, {.looks = {24, 12}}), Error);
  EXPECT_THROW(judged({0, 0}, 0, {.margin = 0}), Error);
}

TEST(PairedTrial, EndsCasesThatAreDecidedAndSaysWhatPairsSay) {
  const PlantedPairs pairs = planted(12, 0.03, 0.004);
  PairedTrial trial({}, {});
  trial.look_at(pairs.a, pairs.b, 0);
  EXPECT_TRUE(trial.is_done());
  const Comparison made = trial.comparison(pairs.a, pairs.b, {});
  ASSERT_EQ(made.findings.size(), 1u);
  EXPECT_EQ(made.findings[0].verdict, Verdict::slower);
  EXPECT_NEAR(*made.findings[0].change, 0.03, 0.002);
  EXPECT_EQ(made.findings[0].pairs, 12u);
  EXPECT_FALSE(made.shift);
}

/// 2 % in four pairs that agree within 0.02 %: too few to confirm it, and no reason to say nothing.
TEST(PairedTrial, AChangeThatTooFewPairsShowLooksSlower) {
  const PlantedPairs pairs = planted(4, 0.02, 0.0002);
  PairedTrial trial(PairedRule{.looks = {4}}, {});
  trial.look_at(pairs.a, pairs.b, 0);
  const Comparison made = trial.comparison(pairs.a, pairs.b, {});
  EXPECT_EQ(made.findings[0].verdict, Verdict::looks_slower);
  EXPECT_EQ(exit_code(made), 3);
  EXPECT_TRUE(made.findings[0].reason.starts_with("changed by +2.0")) << made.findings[0].reason;
  EXPECT_TRUE(made.findings[0].reason.ends_with("; so few confirm large changes only, 6 do"))
      << made.findings[0].reason;
}

TEST(PairedTrial, APositiveChangeThatIsOpenMayHideTheWorseEndOfItsInterval) {
  const PlantedPairs pairs = planted(4, 0.02, 0.03);
  PairedTrial trial(PairedRule{.looks = {4}}, {});
  trial.look_at(pairs.a, pairs.b, 0);
  Finding open = trial.comparison(pairs.a, pairs.b, {}).findings[0];
  ASSERT_EQ(open.verdict, Verdict::unresolved);
  open.detectable = *open.change_high / 2;
  EXPECT_EQ(hidden_slowdown(open), *open.change_high);
  open.metric = "speedup";
  EXPECT_EQ(hidden_slowdown(open), std::max(*open.detectable, -*open.change_low));
}

TEST(PairedTrial, ThresholdsOfCasesCount) {
  const PlantedPairs pairs = planted(12, 0.015, 0.004);
  PairedTrial trial({}, {{{"s", "op/libtorch/n=1"}, 0.10}});
  trial.look_at(pairs.a, pairs.b, 0);
  EXPECT_NE(trial.comparison(pairs.a, pairs.b, {}).findings[0].verdict, Verdict::slower);
}

}  // namespace
}  // namespace plumbline
