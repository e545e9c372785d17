#include "analysis/confirm/rerun.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

constexpr int kCases = 60;
std::string id_of(int i) {
  return "op" + std::to_string(i % 4) + "/libtorch/n=" + std::to_string(i);
}

/// Sixty cases: the first two take longer by `first`, the others by `rest`.
Run run_of(double first, double rest) {
  Run run = planted::run_on("NVIDIA H200");
  for (int i = 0; i < kCases; ++i)
    planted::add_case(run, id_of(i), 1e-4 * (1 + (i < 2 ? first : rest)));
  return run;
}

/// The first case, after a later run followed the run in which it looked changed.
struct Settled {
  Comparison comparison;
  Finding first;

  Settled(double looked, const Run& later, double rest = 0) {
    const Run baseline = run_of(0, 0), candidate = run_of(looked, rest);
    const DecisionRule rule = default_rule("cuda");
    comparison = compare(baseline, candidate, rule);
    const Doubts doubts = cases_in_doubt(comparison, {}, 1);
    EXPECT_EQ(doubts.flagged.size(), 2u);
    confirm_by_rerun(comparison, doubts, compare(baseline, with_visits_of(candidate, later), rule),
                     later);
    for (const Finding& finding : comparison.findings)
      if (finding.case_id == id_of(0)) first = finding;
  }
};

TEST(Rerun, HasItsVisitsBehindThoseOfTheRun) {
  const plumbline::Run both = with_visits_of(run_of(0, 0), run_of(0.1, 0));
  ASSERT_EQ(both.rows.size(), 2u * 3 * kCases);
  EXPECT_EQ(both.rows.back().round, 5);
  EXPECT_EQ(both.rows[3 * kCases].round, 3);
}

TEST(Rerun, ThatShowsTheChangeTooGivesItsSize) {
  const Settled settled(0.08, run_of(0.05, 0));
  EXPECT_EQ(settled.first.verdict, Verdict::slower);
  EXPECT_NEAR(*settled.first.change, 0.05, 0.001);
  EXPECT_NEAR(*settled.first.screened, 0.08, 0.001);
  EXPECT_EQ(settled.first.rerun_visits, 3u);
  EXPECT_EQ(settled.first.pairs, 0u);
  EXPECT_EQ(confirmation_text(settled.first),
            "seen again in 3 visits of a later run, which is weaker than pairs");
  EXPECT_NE(settled.comparison.notes.back().find("2 cases that looked changed; seen again: 2."),
            std::string::npos);
  EXPECT_EQ(exit_code(settled.comparison), 1);
}

TEST(Rerun, ThatDoesNotShowTheChangeLeavesItOpenAndVisible) {
  const Settled settled(0.08, run_of(0.001, 0));
  EXPECT_NE(settled.first.verdict, Verdict::slower);
  EXPECT_EQ(settled.first.reason, "looked +8.0 %; measured again later: +0.10 %");
  EXPECT_EQ(exit_code(settled.comparison), 0);
}

TEST(Rerun, ThatShowsTheReverseIsNoConfirmation) {
  const Settled settled(0.2, run_of(-0.05, 0));
  EXPECT_NE(settled.first.verdict, Verdict::slower);
  EXPECT_NE(settled.first.verdict, Verdict::faster);
}

TEST(Rerun, IsFreeOfTheShiftThatTheRunWasFreeOf) {
  const Settled settled(0.12, run_of(0.12, 0.04), 0.04);
  ASSERT_TRUE(settled.comparison.shift);
  EXPECT_EQ(settled.first.verdict, Verdict::slower);
  EXPECT_NEAR(*settled.first.change, 1.12 / 1.04 - 1, 0.003);
}

TEST(Rerun, ThatFailsIsAFailureOfTheCase) {
  plumbline::Run later = run_of(0.08, 0);
  for (int i = 0; i < 2; ++i) {
    std::erase_if(later.rows, [&](const ResultRow& row) { return row.case_id == id_of(i); });
    planted::add_status(later, id_of(i), Status::wrong, "error 0.5");
  }
  const Settled settled(0.08, later);
  EXPECT_EQ(settled.first.verdict, Verdict::broken);
  EXPECT_NE(settled.first.reason.find("error 0.5"), std::string::npos) << settled.first.reason;
}

}  // namespace
}  // namespace plumbline
