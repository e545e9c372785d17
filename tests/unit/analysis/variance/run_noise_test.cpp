// Runs whose visits scatter by a planted amount, and what is reported about them. Seeded.
#include "analysis/variance/run_noise.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

/// Twelve cases of three rounds; the first `loud` ones have a different scatter.
plumbline::Run run_of(double visit_sd, std::size_t loud, double loud_sd, std::uint64_t seed = 1,
                      const std::string& kind = "cuda") {
  std::mt19937_64 random(seed);
  const std::vector<double> factors(12, 1.0), sds(12, 0.003);
  plumbline::Run run = planted::simulate(
      factors, sds, {.visit_sd = visit_sd, .run_sd = 0, .rounds = 3}, random, 12, kind);
  const plumbline::Run other = planted::simulate(
      factors, sds, {.visit_sd = loud_sd, .run_sd = 0, .rounds = 3}, random, 12, kind);
  std::copy_n(other.rows.begin(), 3 * loud, run.rows.begin());
  return run;
}

RunNoise noise_of(const plumbline::Run& run) {
  const DecisionRule rule = default_rule(run.info.environment.device_kind);
  return run_noise(run, rule.effect_floor, rule.confidence);
}

TEST(RunNoise, of_a_quiet_run_is_not_told) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(noise_of(run_of(0.0025, 0, 0, seed)).blind, 0u) << seed;
    EXPECT_EQ(noise_of(run_of(0.01, 0, 0, seed, "cpu")).blind, 0u) << seed;
  }
  EXPECT_EQ(run_noise_text(noise_of(run_of(0.0025, 0, 0))), "");
}

TEST(RunNoise, of_a_loud_run_is_told_by_what_its_kind_of_device_has_to_show) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_TRUE(noise_of(run_of(0.02, 0, 0, seed)).is_poor()) << seed;
    EXPECT_TRUE(noise_of(run_of(0.10, 0, 0, seed, "cpu")).is_poor()) << seed;
  }
  EXPECT_FALSE(noise_of(run_of(0.02, 0, 0, 1, "cpu")).is_poor());
}

TEST(RunNoise, is_poor_from_a_third_of_the_cases_on) {
  EXPECT_FALSE(noise_of(run_of(0.001, 1, 0.05)).is_poor());
  EXPECT_TRUE(noise_of(run_of(0.001, 8, 0.05)).is_poor());
}

TEST(RunNoise, is_asked_of_judged_times_alone) {
  plumbline::Run run = run_of(0.001, 0, 0);
  std::vector<ResultRow> compiles = run_of(0.001, 12, 0.5).rows;
  for (ResultRow& row : compiles) row.metric = "compile_time";
  run.rows.insert(run.rows.end(), compiles.begin(), compiles.end());
  EXPECT_EQ(noise_of(run).blind, 0u);
}

TEST(RunNoise, says_how_many_rounds_are_enough) {
  const RunNoise noise = noise_of(run_of(0.01, 0, 0));
  ASSERT_TRUE(noise.is_poor());
  ASSERT_TRUE(noise.enough);
  EXPECT_EQ(noise.rounds, 3u);
  EXPECT_GT(*noise.enough, 3u);
  EXPECT_LT(*noise.enough, 12u);
  EXPECT_FALSE(noise_of(run_of(0.10, 0, 0)).enough);
}

TEST(RunNoise, is_of_the_best_time_of_a_case) {
  plumbline::Run run = run_of(0.001, 0, 0);
  const plumbline::Run loud = run_of(0.10, 0, 0);
  for (ResultRow row : loud.rows) {
    row.metric = std::string("kernel_time_cold");
    run.rows.push_back(row);
  }
  EXPECT_EQ(noise_of(run).blind, 0u);
}

TEST(RunNoise, takes_what_counts_from_the_suites) {
  plumbline::Run run = run_of(0.02, 0, 0);
  SuiteRef& suite = run.info.suites.emplace_back();
  suite.name = "quick";
  for (const ResultRow& row : run.rows) suite.thresholds[row.case_id] = 0.3;
  EXPECT_EQ(noise_of(run).blind, 0u);
}

TEST(RunNoise, of_single_visits_is_not_known) {
  plumbline::Run run = run_of(0.10, 0, 0);
  std::erase_if(run.rows, [](const ResultRow& row) { return row.round > 0; });
  EXPECT_EQ(noise_of(run).cases, 0u);
  EXPECT_FALSE(noise_of(run).is_poor());
}

TEST(RunNoise, is_told_in_one_sentence_with_what_can_be_done) {
  EXPECT_EQ(
      run_noise_text({.cases = 5,
                      .blind = 4,
                      .disturbed = 0,
                      .visit_sd = 0.12,
                      .detectable = 0.31,
                      .threshold = 0.1,
                      .rounds = 3,
                      .enough = 14}),
      "4 of 5 cases are too noisy: the rounds of half of them scatter by 12 % or more, so that a "
      "comparison would show changes from about 31 % on, not from 10 %. Stop what else runs on "
      "this "
      "machine (top and nvidia-smi name it) and run again, or measure 14 rounds instead of 3.");
  const std::string text = run_noise_text({.cases = 3,
                                           .blind = 1,
                                           .disturbed = 1,
                                           .visit_sd = 0.5,
                                           .detectable = 0.9,
                                           .threshold = 0.02,
                                           .rounds = 3,
                                           .enough = {}});
  EXPECT_NE(text.find(" In 1 of them another process was on the GPU."), std::string::npos) << text;
  EXPECT_NE(text.find("or compare in pairs (plumbline ab)"), std::string::npos) << text;
}

}  // namespace
}  // namespace plumbline
