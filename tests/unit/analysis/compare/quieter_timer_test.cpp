// If a time's noise leaves its verdict open, it is SAME if the other timer says so for the same
// kernels; only then.
#include "analysis/compare/quieter_timer.h"

#include <gtest/gtest.h>

#include <string>

namespace plumbline {
namespace {

Finding finding(const std::string& metric, Verdict verdict, double low, double high) {
  Finding made;
  made.suite = "s";
  made.case_id = "add/libtorch/n=1";
  made.metric = metric;
  made.unit = std::string("s");
  made.verdict = verdict;
  made.change = (low + high) / 2;
  made.change_low = low;
  made.change_high = high;
  return made;
}

RecordedValue text(const std::string& words) { return {words, kUnknown}; }

CaseEvidence evidence(const std::string& kernel_now, const std::string& grid_now = "8") {
  CaseEvidence made;
  const auto record = [](const std::string& kernel, const std::string& grid) {
    CaseRecord of_case;
    of_case[std::size_t(Aspect::kernels)] = text(kernel);
    of_case[std::size_t(Aspect::grid)] = text(grid);
    of_case[std::size_t(Aspect::block)] = text("256");
    return of_case;
  };
  made.baseline = record("add_kernel", "8");
  made.candidate = record(kernel_now, grid_now);
  return made;
}

Comparison comparison(Finding events, Finding trace) {
  Comparison made;
  made.findings = {std::move(events), std::move(trace)};
  return made;
}

Verdict verdict_of_events(Comparison made, const CaseEvidence& of_case) {
  follow_quieter_timer(made, [&](const Finding&) -> const CaseEvidence& { return of_case; });
  return made.findings.front().verdict;
}

const Finding kOpen = finding("gpu_time_cold", Verdict::unresolved, -0.06, 0.05);
const Finding kSame = finding("kernel_time_cold", Verdict::same, -0.005, 0.006);

TEST(QuieterTimer, decides_where_both_sides_launch_the_same_kernels) {
  Comparison made = comparison(kOpen, kSame);
  made.findings.front().blind = BlindSpot{};
  const CaseEvidence same = evidence("add_kernel");
  follow_quieter_timer(made, [&](const Finding&) -> const CaseEvidence& { return same; });
  EXPECT_EQ(made.findings[0].verdict, Verdict::same);
  EXPECT_FALSE(made.findings[0].blind) << "the case is not blind";
  EXPECT_EQ(made.findings[0].reason,
            "by kernel_time_cold, the quieter timer, and both sides launch the same kernels");
  EXPECT_EQ(made.findings[1].reason, "");
}

TEST(QuieterTimer, is_the_one_that_shows_its_case) {
  Comparison made = comparison(kOpen, kSame);
  made.rule.margin = 0.02;
  const CaseEvidence same = evidence("add_kernel");
  follow_quieter_timer(made, [&](const Finding&) -> const CaseEvidence& { return same; });
  const auto cases = worst_per_case(made);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases.front()->metric, "kernel_time_cold") << "the other's interval leaves the margin";
}

TEST(QuieterTimer, goes_both_ways) {
  const Comparison made = comparison(finding("kernel_time_hot", Verdict::unresolved, -0.03, 0.04),
                                     finding("gpu_time_hot", Verdict::same, -0.01, 0.01));
  EXPECT_EQ(verdict_of_events(made, evidence("add_kernel")), Verdict::same);
}

TEST(QuieterTimer, says_nothing_of_other_kernels_grids_or_what_is_not_recorded) {
  const Comparison made = comparison(kOpen, kSame);
  EXPECT_EQ(verdict_of_events(made, evidence("add_kernel_v2")), Verdict::unresolved);
  EXPECT_EQ(verdict_of_events(made, evidence("add_kernel", "16")), Verdict::unresolved);
  EXPECT_EQ(verdict_of_events(made, CaseEvidence{}), Verdict::unresolved);
}

TEST(QuieterTimer, hides_no_change_that_shows) {
  const CaseEvidence same = evidence("add_kernel");
  const auto events = [](Verdict verdict, double low, double high) {
    return finding("gpu_time_cold", verdict, low, high);
  };
  EXPECT_EQ(verdict_of_events(comparison(events(Verdict::slower, 0.03, 0.05), kSame), same),
            Verdict::slower);
  EXPECT_EQ(verdict_of_events(comparison(events(Verdict::unresolved, 0.004, 0.05), kSame), same),
            Verdict::unresolved)
      << "zero is outside: a suspect";
  Finding paired = kOpen;
  paired.pairs = 12;
  EXPECT_EQ(verdict_of_events(comparison(paired, kSame), same), Verdict::unresolved);
}

TEST(QuieterTimer, needs_the_same_cache_state_and_case_and_that_the_other_is_the_same) {
  const CaseEvidence same = evidence("add_kernel");
  Finding other = kSame;
  other.metric = "kernel_time_hot";
  EXPECT_EQ(verdict_of_events(comparison(kOpen, other), same), Verdict::unresolved);
  other = kSame;
  other.case_id = "add/libtorch/n=2";
  EXPECT_EQ(verdict_of_events(comparison(kOpen, other), same), Verdict::unresolved);
  other = kSame;
  other.verdict = Verdict::unresolved;
  EXPECT_EQ(verdict_of_events(comparison(kOpen, other), same), Verdict::unresolved);
  other = kSame;
  other.metric = "graph_time";
  EXPECT_EQ(verdict_of_events(comparison(kOpen, other), same), Verdict::unresolved);
}

}  // namespace
}  // namespace plumbline
