// What a screen alone may report: planted runs, with and without confirmation.
#include "analysis/confirm/screen_alone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "support/synthetic_run.h"
#include "unit/analysis/past_nights.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

constexpr std::size_t kCases = 40;

/// On a GPU: one case slower by `slower`, one faster by as much.
Comparison screened(double slower) {
  std::mt19937_64 random(1);
  const planted::Noise noise;
  std::vector<double> factors(kCases, 1.0);
  const std::vector<double> sds(kCases, noise.block_sd);
  const Run baseline = planted::simulate(factors, sds, noise, random);
  factors[3] = slower;
  factors[4] = 1 / slower;
  return compare(baseline, planted::simulate(factors, sds, noise, random), default_rule("cuda"));
}

Finding& finding_of(Comparison& comparison, std::size_t i) {
  return *std::ranges::find_if(comparison.findings, [i](const Finding& f) {
    return f.case_id.ends_with("/n=" + std::to_string(i));
  });
}

TEST(HoldScreen, calls_nothing_slower_that_nothing_confirmed) {
  Comparison made = screened(1.3);
  ASSERT_EQ(made.count(Verdict::slower), 1u);
  EXPECT_EQ(exit_code(made), 1);
  hold_screen(made);
  EXPECT_EQ(made.count(Verdict::slower) + made.count(Verdict::faster), 0u);
  EXPECT_EQ(finding_of(made, 3).verdict, Verdict::looks_slower);
  EXPECT_EQ(finding_of(made, 4).verdict, Verdict::looks_faster);
  EXPECT_EQ(exit_code(made), 3);
  EXPECT_EQ(made.count(Verdict::looks_slower), 1u) << census_text(census_of(made));
  EXPECT_NE(made.notes.back().find("2 cases look changed"), std::string::npos);
}

TEST(SayWhy, every_change_of_time_says_what_carries_it_or_what_it_lacks) {
  Comparison made = screened(1.3);
  Comparison trusted = made;
  hold_screen(made);
  say_why(made);
  EXPECT_EQ(finding_of(made, 3).reason, "not confirmed: two runs alone");
  EXPECT_EQ(finding_of(made, 5).reason, finding_of(trusted, 5).reason) << "of no change";
  finding_of(trusted, 3).pairs = 12;
  finding_of(trusted, 4).has_history = true;
  say_why(trusted);
  EXPECT_EQ(finding_of(trusted, 3).reason, "confirmed in 12 pairs");
  EXPECT_EQ(confirmation_text(finding_of(trusted, 3)), "") << "said once";
  EXPECT_EQ(finding_of(trusted, 4).reason, "more than its earlier runs differ");
}

TEST(SayWhy, a_trusted_screen_says_so) {
  Comparison made = screened(1.3);
  say_why(made);
  EXPECT_EQ(finding_of(made, 3).reason, "not confirmed: two runs alone (--trust-screen)");
}

TEST(HoldScreen, leaves_what_pairs_or_a_later_run_confirmed) {
  Comparison made = screened(1.3);
  finding_of(made, 3).pairs = 6;
  finding_of(made, 4).rerun_visits = 3;
  hold_screen(made);
  EXPECT_EQ(finding_of(made, 3).verdict, Verdict::slower);
  EXPECT_EQ(finding_of(made, 4).verdict, Verdict::faster);
}

TEST(HoldScreen, leaves_what_a_history_carries_whose_noise_model_fits) {
  for (const double lambda : {1.0, 3.0}) {
    Comparison made = screened(1.3);
    for (Finding& finding : made.findings) finding.has_history = true;
    ASSERT_TRUE(made.null_check);
    made.null_check->low = lambda;
    hold_screen(made);
    EXPECT_EQ(finding_of(made, 3).verdict, lambda > 1 ? Verdict::looks_slower : Verdict::slower);
  }
  Comparison few = screened(1.3);
  for (Finding& finding : few.findings) finding.has_history = true;
  few.null_check.reset();
  hold_screen(few);
  EXPECT_EQ(finding_of(few, 3).verdict, Verdict::looks_slower);
}

/// After six nights that differ by 0.05 %: the first of `cases` cases, 10 % slower.
Finding slowed_after_quiet_nights(int cases) {
  SyntheticNoise noise(2);
  const auto quiet = [&](int, int) { return 1e-4 * (1 + 0.0005 * noise.normal()); };
  const History history = make_history(nights(6, cases, quiet));
  Run before = planted::run_on("NVIDIA H200"), now = before;
  for (int i = 0; i < cases; ++i) {
    const std::string id = "op/libtorch/n=" + std::to_string(i);
    planted::add_case(before, id, 1e-4);
    planted::add_case(now, id, i == 0 ? 1.1e-4 : quiet(i, 6));
  }
  CompareOptions options;
  options.history = &history;
  Comparison made = compare(before, now, default_rule("cuda"), options);
  hold_screen(made);
  say_why(made);
  return finding_of(made, 0);
}

TEST(HoldScreen, leaves_a_change_among_few_quiet_cases_and_says_where_they_are_too_few) {
  const Finding told = slowed_after_quiet_nights(int(kNullCheckCases));
  EXPECT_EQ(told.verdict, Verdict::slower) << told.reason;
  const Finding held = slowed_after_quiet_nights(int(kNullCheckCases) - 1);
  EXPECT_EQ(held.verdict, Verdict::looks_slower);
  EXPECT_EQ(
      held.reason,
      "not confirmed: fewer than 7 cases do not show whether this run scatters as its history "
      "says");
}

TEST(HoldScreen, what_only_looks_faster_stops_no_gate) {
  Comparison made = screened(1.3);
  finding_of(made, 3).verdict = Verdict::same;
  hold_screen(made);
  EXPECT_EQ(exit_code(made), 0);
}

TEST(Sight, a_comparison_that_could_not_show_what_counts_in_a_third_of_its_cases_is_no_pass) {
  Comparison made = screened(1.0);
  const auto blinded = [&](std::size_t count) {
    for (std::size_t i = 0; i < kCases; ++i) {
      Finding& finding = finding_of(made, i);
      finding.verdict = i < count ? Verdict::unresolved : Verdict::same;
      finding.detectable = i < count ? 0.05 : 0.01;
      finding.change_high = i < count ? 0.04 : 0.01;
    }
    return exit_code(made);
  };
  EXPECT_EQ(blinded(13), 0);
  EXPECT_EQ(blinded(14), 3);
  const Sight sight = sight_of(worst_per_case(made), made.rule);
  EXPECT_TRUE(sight.is_poor());
  EXPECT_EQ(sight.blind, 14u);
  EXPECT_EQ(sight.cases, 40u);
}

}  // namespace
}  // namespace plumbline
