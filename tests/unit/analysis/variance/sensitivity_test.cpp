#include "analysis/variance/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/analysis/compared.h"

namespace plumbline {
namespace {

constexpr double kMargin = 0.02, kConfidence = 0.98;

/// For two runs of 3 rounds of 32 blocks; standard deviations of one run's estimate.
ErrorParts parts_of(double block_sd, double visit_sd, double run_sd) {
  return {2 * block_sd * block_sd, 2 * visit_sd * visit_sd, 2 * run_sd * run_sd, 20, 5, 3, 32};
}

std::optional<BlindSpot> spot_of(const ErrorParts& parts, double detectable) {
  return blind_spot(parts, std::log1p(detectable), kMargin, kConfidence);
}

TEST(Blind, a_case_that_sees_the_margin_is_not) {
  EXPECT_FALSE(spot_of(parts_of(0.001, 0.001, 0.001), 0.02));
  EXPECT_TRUE(spot_of(parts_of(0.001, 0.001, 0.001), 0.0201));
}

TEST(Blind, noise_of_visits_is_cured_by_a_number_of_rounds_that_really_suffices) {
  const ErrorParts parts = parts_of(0.001, 0.008, 0.001);
  const auto spot = spot_of(parts, 0.04);
  ASSERT_TRUE(spot && spot->rounds);
  EXPECT_GT(*spot->rounds, 3u);
  // With visits alone and the normal distribution: half the width needs four times as many.
  const auto detectable = [&](double rounds) {
    const double variance = 2 * (1e-6 + 6.4e-5) * 3 / rounds + 2e-6;
    return (2.5 + kPower80) * std::sqrt(variance);
  };
  EXPECT_LE(detectable(double(*spot->rounds)), std::log1p(kMargin));
  EXPECT_GE(detectable(double(*spot->rounds) - 2), std::log1p(kMargin) * 0.95);
  EXPECT_FALSE(spot->blocks) << "blocks are the least of it";
  EXPECT_EQ(spot->cure, std::to_string(*spot->rounds) + " rounds of both runs instead of 3");
}

TEST(Blind, noise_of_blocks_is_cured_by_blocks_or_rounds) {
  const auto spot = spot_of(parts_of(0.008, 0.001, 0.001), 0.04);
  ASSERT_TRUE(spot && spot->rounds && spot->blocks);
  EXPECT_NEAR(double(*spot->blocks) / 32, double(*spot->rounds) / 3, 1.5);
  EXPECT_NE(spot->cure.find(" blocks a visit instead of 32"), std::string::npos);
}

TEST(Blind, noise_between_runs_is_cured_by_no_number_of_rounds) {
  const auto spot = spot_of(parts_of(0.001, 0.001, 0.03), 0.2);
  ASSERT_TRUE(spot);
  EXPECT_FALSE(spot->rounds || spot->blocks);
  EXPECT_EQ(spot->cure,
            "no number of rounds: its run-to-run part alone is 3 %; pairs (plumbline ab) take it "
            "off");
}

TEST(Blind, pairs_that_were_too_few_say_how_many_are_enough) {
  const auto spot = blind_spot_of_pairs(48, std::log1p(0.02) * 2, kMargin);
  ASSERT_TRUE(spot && spot->pairs);
  EXPECT_EQ(*spot->pairs, 192u);
  EXPECT_FALSE(blind_spot_of_pairs(48, std::log1p(0.02), kMargin));
  EXPECT_FALSE(blind_spot_of_pairs(48, 1.0, kMargin)->pairs);
}

using BlindCases = Compared;

TEST_F(BlindCases, are_told_beside_their_verdict_by_their_noise_alone) {
  for (auto* run : {&before, &after}) {
    planted::add_case(*run, "noisy/libtorch/n=1", 1e-5, 0.05);
    planted::add_case(*run, "noisy/libtorch/n=2", run == &after ? 3e-5 : 1e-5, 0.05);
  }
  const Comparison made = compared();
  const auto blind = blind_cases(made);
  ASSERT_EQ(blind.size(), 2u);
  for (const Finding* finding : blind) {
    EXPECT_EQ(finding->op, "noisy");
    EXPECT_GT(finding->blind->detectable, made.rule.margin);
    EXPECT_GT(finding->blind->visit_sd, finding->blind->run_sd);
    EXPECT_FALSE(finding->blind->cure.empty());
  }
  EXPECT_EQ(made.count(Verdict::same), 10u);
}

}  // namespace
}  // namespace plumbline
