#include "analysis/compare/comparison.h"

#include <gtest/gtest.h>

#include "analysis/compare/compare.h"
#include "analysis/confirm/judge_pairs.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

Comparison with(std::initializer_list<Verdict> verdicts) {
  Comparison comparison;
  for (const Verdict verdict : verdicts) {
    Finding& finding = comparison.findings.emplace_back();
    finding.suite = "quick";
    finding.case_id = "case " + std::to_string(comparison.findings.size());
    finding.verdict = verdict;
    finding.reason = verdict == Verdict::not_judged ? "1 visit" : "";
  }
  return comparison;
}

TEST(Comparison, verdict_names_read_back) {
  for (const std::string_view name : kVerdictNames) EXPECT_EQ(name_of(*verdict_named(name)), name);
  EXPECT_FALSE(verdict_named("slower"));
}

TEST(Comparison, exit_code_is_1_before_3_before_0_and_nothing_compared_is_never_0) {
  using enum Verdict;
  EXPECT_EQ(exit_code(with({same, faster, unresolved, added, fixed})), 0);
  EXPECT_EQ(exit_code(with({same, slower, not_judged})), 1);
  EXPECT_EQ(exit_code(with({same, broken, missing})), 1);
  EXPECT_EQ(exit_code(with({same, not_judged})), 3);
  EXPECT_EQ(exit_code(with({same, missing})), 3);
  EXPECT_EQ(exit_code(with({added, added})), 3);
  EXPECT_EQ(exit_code(with({})), 3);
  Comparison shifted = with({same});
  shifted.shift = RunShift{0.01, 0.009, 0.011, 20};
  EXPECT_EQ(exit_code(shifted), 3);
}

TEST(Comparison, a_new_metric_does_not_speak_for_a_case_that_the_baseline_knows) {
  Comparison comparison = with({Verdict::added, Verdict::same});
  comparison.findings[1].case_id = comparison.findings[0].case_id;
  EXPECT_EQ(comparison.count(Verdict::same), 1u);
  EXPECT_EQ(exit_code(comparison), 0);
}

TEST(Comparison, its_words_name_a_shift_of_the_whole_run) {
  Comparison shifted = with({Verdict::same});
  shifted.shift = RunShift{-0.0123, -0.013, -0.011, 20};
  EXPECT_NE(
      shifted.shifts_text().find("The whole run is 1.2 % faster than the baseline (20 cases)"),
      std::string::npos);
}

TEST(Comparison, a_part_that_shifted_is_named_and_exits_3) {
  Comparison shifted = with({Verdict::same});
  shifted.part_shifts = {RunShift{0.031, 0.03, 0.032, 12, RunPart::compute},
                         RunShift{-0.02, -0.021, -0.019, 30, RunPart::memory}};
  EXPECT_EQ(exit_code(shifted), 3);
  EXPECT_EQ(shifted.shifts_text(),
            "The compute-bound part of the run "
            "is 3.1 % slower than the baseline (12 cases), the memory-bound part 2.0 % faster (30 "
            "cases); this is removed before cases are compared.");
  shifted.shift = RunShift{0.01, 0.009, 0.011, 99};
  shifted.part_shifts[1] = RunShift{0.0001, -0.001, 0.001, 30, RunPart::memory};
  EXPECT_NE(
      shifted.shifts_text().find("than the baseline (99 cases), its compute-bound part 3.1 % "
                                 "slower (12 cases), its memory-bound part did not move (30 "),
      std::string::npos)
      << shifted.shifts_text();
}

TEST(Comparison, a_case_of_which_one_metric_was_judged_is_no_case_of_nothing) {
  Comparison both = with({Verdict::not_judged, Verdict::same});
  both.findings[1].case_id = both.findings[0].case_id;
  both.findings[1].metric = "host_time";
  EXPECT_EQ(exit_code(both), 3);
}

TEST(Comparison, unconfirmed_are_the_cases_that_look_changed_and_are_not_called_so) {
  using enum Verdict;
  Comparison made = with({unresolved, unresolved, same, same, slower, unresolved, unresolved});
  const auto look = [&](std::size_t i, double low, double p) {
    made.findings[i].change = low + 0.02;
    made.findings[i].change_low = low;
    made.findings[i].change_high = low + 0.04;
    made.findings[i].p_value = p;
  };
  look(0, 0.01, 0.004);
  look(1, -0.01, 0.3);  // the interval leaves everything open
  look(2, 0.01, 0.001);
  made.findings[2].pairs = 12;
  made.findings[2].screened = 0.05;  // pairs did not confirm it
  look(3, 0.001, 0.01);              // inside the margin
  look(4, 0.05, 1e-9);
  look(5, 0.01, 1e-4);
  look(6, 0.01, 1e-4);
  made.findings[6].case_id = made.findings[4].case_id;  // its other metric is SLOWER
  std::vector<std::string> ids;
  for (const Finding* finding : unconfirmed_cases(made)) ids.push_back(finding->case_id);
  EXPECT_EQ(ids, (std::vector<std::string>{"case 6", "case 3", "case 1"}));
}

TEST(Comparison, the_raw_change_is_shown_where_a_shift_was_taken_off_and_nowhere_else) {
  Finding finding;
  finding.change = 0.01;
  finding.raw_change = 0.05;
  EXPECT_EQ(change_before_shift(finding), 0.05);
  finding.pairs = 12;
  EXPECT_FALSE(change_before_shift(finding)) << "the change is of the pairs";
  finding.pairs = 0;
  finding.raw_change = 0.01;
  EXPECT_FALSE(change_before_shift(finding));
}

TEST(Comparison, blind_cases_are_told_with_the_margin_that_each_was_held_against) {
  Comparison made = with({Verdict::unresolved, Verdict::unresolved});
  made.rule = default_rule("cpu");
  made.findings[0].blind = BlindSpot{.detectable = 0.4, .margin = made.rule.margin};
  EXPECT_EQ(blind_margins_text(made, blind_cases(made)), "a slowdown of 20 %");
  made.findings[1].pairs = 48;
  made.findings[1].blind = blind_spot_of_pairs(48, 0.1, default_paired_rule("cpu").margin);
  EXPECT_EQ(blind_margins_text(made, blind_cases(made)),
            "a slowdown of 20 % (5 % where pairs decided)");
  made.findings[0].blind.reset();
  EXPECT_EQ(blind_margins_text(made, blind_cases(made)), "a slowdown of 5 %");
  made.findings[1].blind->margin = 0;  // from an old file that does not keep margins
  EXPECT_EQ(blind_margins_text(made, blind_cases(made)), "a slowdown of 20 %");
}

TEST(Comparison, equal_ids_of_two_suites_are_two_cases) {
  Comparison comparison = with({Verdict::same, Verdict::slower});
  comparison.findings[0].case_id = comparison.findings[1].case_id;
  comparison.findings[0].suite = "nightly";
  EXPECT_EQ(worst_per_case(comparison).size(), 2u);
  comparison.findings[0].suite = "quick";
  ASSERT_EQ(worst_per_case(comparison).size(), 1u);
  EXPECT_EQ(worst_per_case(comparison)[0]->verdict, Verdict::slower);
}

}  // namespace
}  // namespace plumbline
