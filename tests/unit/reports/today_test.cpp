/// What a page shows if pairs decided and the baseline's side measures something else today than
/// when it was accepted: the numbers side by side agree.
#include <gtest/gtest.h>

#include <string>

#include "reports/answer.h"
#include "reports/exports/findings_text.h"
#include "unit/reports/planted.h"

namespace plumbline {
namespace {

constexpr std::size_t kPaired = 2;

/// Pairs of one case: accepted at `then`, the baseline's side at `today`, the candidate at `now`.
struct Paired {
  SyntheticRun source{SyntheticShape{.cases = 12, .metrics = {"gpu_time_cold"}}};
  Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  Run candidate = source.make(2, [](std::size_t) { return 1.0; });
  Comparison comparison = compare(baseline, candidate, default_rule("cuda"));
  Finding* finding = nullptr;

  Paired(double then, double today, double now, Verdict verdict) {
    for (Finding& each : comparison.findings)
      if (each.case_id == source.id(kPaired)) finding = &each;
    finding->baseline = then;
    finding->baseline_today = today;
    finding->candidate = now;
    finding->change = finding->change_low = finding->change_high = now / today - 1;
    finding->screened = now / then - 1;
    finding->pairs = 6;
    finding->verdict = verdict;
    finding->reason = verdict == Verdict::same ? "looked +50 % against the baseline" : "";
  }
  std::string page() const { return render_report({&candidate, &baseline, &comparison}); }
};

TEST(Today, AChangeStandsBesideTheNumbersThatItIsOf) {
  const Paired part(1e-3, 1.2e-3, 1.5e-3, Verdict::slower);
  EXPECT_EQ(times_of(*part.finding).before.substr(0, 3), "1.2");
  const std::string page = part.page();
  EXPECT_FALSE(holds(page, "<span class=\"base\">1.0")) << "1.0 to 1.5 is not +25 %";
  EXPECT_TRUE(holds(page, ">300\u00A0µs<")) << "time added, of today's 1.2 ms";
  EXPECT_TRUE(holds(page, "the baseline was at 1.00\u00A0ms when it was accepted"));
  EXPECT_TRUE(
      holds(why_of(*part.finding), "confirmed in 6 pairs; 1.00\u00A0ms when it was accepted"));
}

TEST(Today, WhatThePairsMeasuredOfTheCandidateStandsBesideTheirChange) {
  Paired pairs(1e-3, 1e-3, 1.5e-3, Verdict::slower);
  pairs.finding->candidate = 1.25e-3;
  pairs.finding->candidate_today = 1.5e-3;
  EXPECT_EQ(times_of(*pairs.finding).after.substr(0, 3), "1.5");
  const std::string page = pairs.page();
  EXPECT_FALSE(holds(page, ">1.25")) << "1.0 to 1.25 is not +50 %";
  EXPECT_FALSE(holds(page, "class=\"strip\"")) << "samples of the run show +25 %";
  EXPECT_TRUE(holds(page, "in the run before the pairs"));
  EXPECT_TRUE(holds(page, "1.25\u00A0ms"));
}

TEST(Today, TheHeadlineSaysThatTheBaselinesSideMoved) {
  EXPECT_TRUE(holds(
      answer_text(answer_of(Paired(1e-3, 1.2e-3, 1.5e-3, Verdict::slower).comparison)),
      "Today the baseline’s side takes 20\u00A0% longer than when it was accepted (1 case)."));
  EXPECT_TRUE(
      holds(answer_text(answer_of(Paired(1e-3, 0.7e-3, 1e-3, Verdict::slower).comparison)),
            "Today the baseline’s side takes 30\u00A0% less than when it was accepted (1 case)."));
  EXPECT_TRUE(holds(answer_text(answer_of(Paired(1e-3, 1.5e-3, 1.5e-3, Verdict::same).comparison)),
                    "Today the baseline’s side takes 50\u00A0% longer"));
  EXPECT_FALSE(holds(
      answer_text(answer_of(Paired(1e-3, 1.001e-3, 1.5e-3, Verdict::slower).comparison)), "Today"));
}

TEST(Today, SamplesOfAnotherBaselineAreNotDrawnBesideTheChange) {
  EXPECT_FALSE(holds(Paired(1e-3, 1.2e-3, 1.5e-3, Verdict::slower).page(), "class=\"strip\""));
  EXPECT_TRUE(holds(Paired(1e-3, 1e-3, 1.5e-3, Verdict::slower).page(), "class=\"strip\""));
}

}  // namespace
}  // namespace plumbline
