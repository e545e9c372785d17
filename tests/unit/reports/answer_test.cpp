#include "reports/answer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/utf8.h"

namespace plumbline {
namespace {

using enum Verdict;

/// A case with both estimates; time in seconds.
Finding& add(Comparison& comparison, const std::string& id, Verdict verdict, double change = 0) {
  Finding& finding = comparison.findings.emplace_back();
  finding.suite = "quick";
  finding.case_id = id;
  finding.op = id.substr(0, id.find('/'));
  finding.backend = "libtorch";
  finding.metric = "gpu_time_cold";
  finding.unit = "s";
  finding.verdict = verdict;
  finding.change = change;
  finding.p_value = 0.5;
  finding.baseline = 1e-4;
  finding.candidate = 1e-4 * (1 + change);
  finding.threshold = 0.02;
  finding.detectable = 0.01;
  return finding;
}

void add_same(Comparison& comparison, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    add(comparison, "relu/libtorch/n=" + std::to_string(i), same);
}

AxisCondition one(const std::string& name, const std::string& value) {
  AxisCondition condition;
  condition.name = name;
  condition.values = {value};
  return condition;
}

Cause& add_cause(Comparison& comparison, Verdict verdict, const std::string& op,
                 std::vector<AxisCondition> region, double low, double high) {
  Cause& cause = comparison.causes.emplace_back();
  cause.verdict = verdict;
  cause.measure = "time";
  cause.parts = {{op, "libtorch", std::move(region), 1, 1, 0}};
  cause.cases = 1;
  cause.changes = {{"gpu_time_cold", 1, low, (low + high) / 2, high}};
  cause.worst_metric = "gpu_time_cold";
  return cause;
}

bool holds_whole_characters(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string plain(std::string text) {
  for (std::size_t at = 0; (at = text.find("\u00A0", at)) != std::string::npos;)
    text.replace(at, 2, " ");
  return text;
}

std::string said(const Comparison& comparison) { return plain(answer_text(answer_of(comparison))); }

TEST(Answer, SlowerNamesTheCulpritsMostCostlyFirst) {
  Comparison comparison;
  add_same(comparison, 37);
  add_cause(comparison, slower, "softmax", {one("dtype", "float16")}, 0.08, 0.08);
  add_cause(comparison, slower, "layer_norm", {one("direction", "backward")}, 0.05, 0.05);
  add_cause(comparison, slower, "gemm", {one("dtype", "bfloat16"), one("k", "4096")}, 0.036, 0.05);
  for (std::size_t i = 1; i <= 3; ++i)
    add(comparison, "case/libtorch/n=" + std::to_string(i), slower, 0.05).cause = i;
  EXPECT_EQ(said(comparison),
            "Slower: softmax float16 is 8 % slower; so are layer_norm backward (5 %) and gemm "
            "bfloat16 with k=4096 (3.6 to 5 %).");
  EXPECT_EQ(exit_code(comparison), 1);
  add_cause(comparison, slower, "sum", {}, 0.03, 0.03);
  add(comparison, "sum/libtorch", slower, 0.03).cause = 4;
  EXPECT_TRUE(said(comparison).ends_with("(3.6 to 5 %) and 1 more.")) << said(comparison);
}

TEST(Answer, ACaseWithoutACauseIsNamedByItself) {
  Comparison comparison;
  add(comparison, "gemm/libtorch/dtype=float16/k=64", slower, 0.25);
  EXPECT_EQ(said(comparison), "Slower: gemm float16 with k=64 is 25 % slower.");
  add(comparison, "gemm/cudnn/dtype=float16/k=64", same).backend = "cudnn";
  EXPECT_EQ(said(comparison), "Slower: gemm libtorch float16 with k=64 is 25 % slower.");
}

TEST(Answer, AHeadlineIsReadAtAGlance) {
  Comparison comparison;
  std::string id = "gemm/libtorch/name=x";
  for (int i = 0; i < 400; ++i) id += "é";
  add(comparison, id, slower, 0.25);
  const std::string text = said(comparison);
  EXPECT_LT(text.size(), 120U) << text;
  EXPECT_TRUE(holds_whole_characters(text)) << text;
}

TEST(Answer, WhatIsNoTimeIsWorseAndNamed) {
  Comparison comparison;
  add_cause(comparison, slower, "gemm", {}, 0.5, 0.5).measure = "peak_memory";
  add(comparison, "gemm/libtorch", slower, 0.5).cause = 1;
  EXPECT_EQ(said(comparison), "Slower: gemm is 50 % worse in peak_memory.");
}

TEST(Answer, BrokenStandsBeforeSlower) {
  Comparison comparison;
  add(comparison, "softmax/libtorch/dtype=float16", slower, 0.1);
  add(comparison, "sdpa/libtorch/dtype=float16", broken).candidate_status = "WRONG";
  add(comparison, "silu/libtorch", broken).candidate_status = "CRASHED";
  add(comparison, "relu/libtorch/n=8", missing);
  EXPECT_EQ(said(comparison),
            "Broken: sdpa float16 gives wrong results; silu crashed. 1 case of the baseline is "
            "missing: relu/libtorch/n=8. softmax float16 is 10 % slower.");
}

TEST(Answer, AMissingCaseIsBrokenWhereNoneIsSlower) {
  Comparison comparison;
  add_same(comparison, 3);
  add(comparison, "relu/libtorch/n=8", missing);
  EXPECT_EQ(answer_of(comparison).kind, AnswerKind::broken);
  EXPECT_EQ(exit_code(comparison), 3);
}

TEST(Answer, CleanSaysHowManyAreTheSame) {
  Comparison comparison;
  add_same(comparison, 9);
  EXPECT_EQ(said(comparison), "Clean: no case is slower; 9 of 9 cases are the same within 2 %.");
  add(comparison, "gelu/libtorch", unresolved);
  add(comparison, "sum/libtorch/dtype=float16", faster, -0.2);
  EXPECT_EQ(said(comparison),
            "Clean: no case is slower; 9 of 11 cases are the same within 2 %, 1 could not be "
            "resolved. sum float16 is 20 % faster.");
  EXPECT_EQ(exit_code(comparison), 0);
}

TEST(Answer, CleanNamesWhatFailedInTheBaseline) {
  Comparison comparison;
  add_same(comparison, 9);
  add(comparison, "gelu/libtorch", Verdict::fixed);
  EXPECT_TRUE(said(comparison).ends_with(" 1 case that failed in the baseline is OK now."))
      << said(comparison);
  add(comparison, "sum/libtorch", Verdict::fixed);
  EXPECT_TRUE(said(comparison).ends_with(" 2 cases that failed in the baseline are OK now."));
}

TEST(Answer, CleanWithNothingTheSameSaysWhatMayHaveChanged) {
  Comparison comparison;
  for (std::size_t i = 0; i < 4; ++i)
    add(comparison, "relu/libtorch/n=" + std::to_string(i), unresolved, 0.001).threshold = 0.1;
  EXPECT_EQ(exit_code(comparison), 0);
  EXPECT_EQ(said(comparison),
            "Clean: no case is slower; 4 of 4 cases may have changed by less than the 10 % that "
            "counts.");
}

Comparison open_pairs(double detectable) {
  Comparison comparison;
  comparison.is_ab = true;
  comparison.baseline_path = "runs/ab/a";
  comparison.candidate_path = "runs/ab/b";
  for (const char* id : {"relu/libtorch/n=1", "relu/libtorch/n=2"}) {
    Finding& open = add(comparison, id, unresolved, 0.01);
    open.pairs = 6;
    open.threshold = 0.03;
    open.detectable = detectable;
  }
  return comparison;
}

constexpr const char* kMorePairs =
    "To decide the open cases, measure more pairs (--looks), or on a quieter machine.";

TEST(Answer, PairsThatDidNotDecideSayHowMuchMayHide) {
  const Comparison comparison = open_pairs(0.045);
  EXPECT_EQ(said(comparison),
            "Clean: no case is slower; 2 of 2 cases are not decided, and may hide a slowdown of up "
            "to 4.5 %.");
  EXPECT_EQ(answer_of(comparison).advice, kMorePairs);
}

TEST(Answer, PairsThatCouldHideAsMuchAsTheMarginAreNoAllClear) {
  Comparison comparison = open_pairs(0.13);
  for (Finding& finding : comparison.findings) finding.blind.emplace();
  EXPECT_EQ(exit_code(comparison), 3);
  EXPECT_EQ(said(comparison),
            "Cannot tell: all 2 cases are too noisy to judge; half of them would hide a slowdown "
            "of 13 %.");
  EXPECT_EQ(answer_of(comparison).advice, kMorePairs);
  EXPECT_EQ(answer_of(comparison).command, "");
}

TEST(Answer, WhatTooFewPairsShowIsToldFirst) {
  Comparison comparison = open_pairs(0.002);
  add(comparison, "gelu/libtorch", looks_slower, 0.02).pairs = 4;
  EXPECT_EQ(said(comparison), "Cannot tell: gelu looks 2 % slower, and nothing confirms it.");
  EXPECT_EQ(answer_of(comparison).advice, kMorePairs);
}

/// Pairs of the cases in doubt are measured already: the next step is pairs of all.
TEST(Answer, AfterPairsOfSomeCasesPairsOfAllAreProposed) {
  Comparison comparison;
  SuiteRef& suite = comparison.candidate.suites.emplace_back();
  suite.path = "suites/quick.yaml";
  comparison.baseline.environment.commit = "1a2b3c4d5e6f";
  for (std::size_t i = 0; i < 9; ++i)
    add(comparison, "relu/libtorch/n=" + std::to_string(i), unresolved, 0.01).detectable = 0.086;
  add(comparison, "gelu/libtorch", same).pairs = 12;
  EXPECT_EQ(answer_of(comparison).command, "plumbline ab 1a2b3c4d5e . suites/quick.yaml");
}

TEST(Answer, WhatCouldNotHaveBeenSeenIsNoAllClear) {
  Comparison comparison;
  SuiteRef& suite = comparison.candidate.suites.emplace_back();
  suite.name = "quick";
  suite.path = "suites/quick.yaml";
  comparison.baseline.environment.commit = "1a2b3c4d5e6f";
  for (std::size_t i = 0; i < 40; ++i)
    add(comparison, "relu/libtorch/n=" + std::to_string(i), unresolved, 0.01).detectable = 0.086;
  const Answer answer = answer_of(comparison);
  EXPECT_EQ(plain(answer_text(answer)),
            "Cannot tell: all 40 cases are too noisy to judge; half of them would hide a slowdown "
            "of 8.6 %.");
  EXPECT_EQ(answer.advice, "Measure both sides in pairs.");
  EXPECT_EQ(answer.command, "plumbline ab 1a2b3c4d5e . suites/quick.yaml");
  EXPECT_EQ(exit_code(comparison), 3);
  comparison.environment_changes.push_back({"device_uuid", "device UUID", "environment", "a", "b"});
  EXPECT_EQ(answer_of(comparison).advice,
            "The baseline is of another device. Measure both sides in pairs on this one.");
}

TEST(Answer, WithoutTheBaselinesCommitItIsMeasuredAgain) {
  Comparison comparison;
  SuiteRef& suite = comparison.candidate.suites.emplace_back();
  suite.name = "quick";
  add(comparison, "relu/libtorch", looks_slower, 0.1);
  EXPECT_EQ(answer_of(comparison).command, "");
  EXPECT_TRUE(answer_of(comparison).advice.ends_with("does not know the baseline’s commit."));
  comparison.baseline_path = "old runs/a";
  EXPECT_EQ(answer_of(comparison).command, "plumbline check quick --rerun --baseline 'old runs/a'");
}

TEST(Answer, ARunOfPytestIsMeasuredAgainByPytest) {
  Comparison comparison;
  comparison.candidate.suites.emplace_back().name = "pytest";
  comparison.candidate.command = {"pytest", "--plumbline", "runs/new"};
  comparison.baseline_path = "runs/old";
  add(comparison, "sort/python", looks_slower, 0.1);
  EXPECT_EQ(answer_of(comparison).command, "");
  EXPECT_TRUE(answer_of(comparison).advice.starts_with("Measure both again with pytest"));
}

TEST(Answer, ACleanComparisonSaysWhatComesNext) {
  Comparison comparison;
  comparison.baseline_path = "runs/old";
  comparison.candidate_path = "runs/new one";
  add_same(comparison, 9);
  EXPECT_TRUE(answer_of(comparison).advice.starts_with("Nothing needs action."));
  EXPECT_EQ(answer_of(comparison).command, "plumbline accept 'runs/new one'");
  add(comparison, "gelu/libtorch", faster, -0.2);
  EXPECT_TRUE(answer_of(comparison).advice.starts_with("If that is meant, accept this run"));
}

TEST(Answer, OnlyAnAcceptanceThatWouldSucceedIsProposed) {
  Comparison comparison;
  comparison.baseline_path = "runs/old";
  comparison.candidate_path = "runs/new";
  add_same(comparison, 9);
  comparison.refusal = "4 of 9 cases are too noisy";
  EXPECT_EQ(answer_of(comparison).command, "");
  EXPECT_EQ(
      answer_of(comparison).advice,
      "Nothing needs action. This run cannot be accepted as it is: 4 of 9 cases are too noisy.");
  add(comparison, "gelu/libtorch", faster, -0.2);
  EXPECT_EQ(answer_of(comparison).command, "");
  comparison.baseline_path = comparison.candidate_path = "baselines/h200/quick.csv";
  EXPECT_EQ(answer_of(comparison).command, "");
  EXPECT_EQ(answer_of(comparison).advice,
            "Nothing needs action. Both sides are the same run: no case can differ.");
  Comparison unlike;
  unlike.candidate_path = "runs/new";
  unlike.refusal = "found an unfinished run";
  add(unlike, "a/libtorch", not_judged).reason = "another revision";
  EXPECT_EQ(answer_of(unlike).command, "");
  EXPECT_EQ(answer_of(unlike).advice,
            "Compare with a run that is like it. This run cannot be accepted as it is: found "
            "an unfinished run.");
}

TEST(Answer, OfTwoSidesMeasuredBesideEachOtherNoneIsToBeAccepted) {
  Comparison comparison;
  comparison.baseline_path = "runs/ab/a";
  comparison.candidate_path = "runs/ab/b";
  comparison.is_ab = true;
  add_same(comparison, 9);
  add(comparison, "gelu/libtorch", faster, -0.2);
  EXPECT_EQ(answer_of(comparison).command, "");
  EXPECT_EQ(answer_of(comparison).advice, "Nothing needs action.");
}

/// The accepted run goes to the baseline that it was compared with.
TEST(Answer, AnAcceptanceNamesTheFolderThatWasComparedWith) {
  Comparison comparison;
  comparison.baseline_path = "/data/accepted";
  comparison.baseline.acceptance.emplace();
  comparison.candidate_path = "runs/new";
  add_same(comparison, 9);
  EXPECT_EQ(answer_of(comparison).command, "plumbline accept runs/new --baselines /data/accepted");
  comparison.baseline_path = "/data/accepted/nvidia-h200/quick.csv";
  EXPECT_EQ(answer_of(comparison).command, "plumbline accept runs/new");
}

TEST(Answer, WhatOnlyLooksSlowerIsNamedAndCannotBeTold) {
  Comparison comparison;
  add_same(comparison, 9);
  add(comparison, "softmax/libtorch/dtype=float16", looks_slower, 0.3);
  add(comparison, "gemm/libtorch", looks_slower, 0.2);
  EXPECT_EQ(said(comparison),
            "Cannot tell: softmax float16 looks 30 % slower; so does gemm (20 %), and nothing "
            "confirms it.");
}

TEST(Answer, AShiftOfTheRunLeads) {
  Comparison comparison;
  add_same(comparison, 20);
  comparison.shift = RunShift{0.36, 0.35, 0.37, 19, RunPart::whole, 20};
  EXPECT_EQ(said(comparison),
            "Cannot tell: the whole run is 36 % slower than the baseline (19 of 20 cases); this "
            "is removed before cases are compared.");
}

TEST(Answer, NotComparableSaysWhy) {
  Comparison comparison;
  comparison.candidate_path = "runs/new one";
  for (const char* id : {"a/libtorch", "b/libtorch", "c/libtorch"})
    add(comparison, id, not_judged).reason = "device class: H100 beside H200";
  const Answer answer = answer_of(comparison);
  EXPECT_EQ(answer_text(answer), "Not comparable: device class: H100 beside H200 (3 cases).");
  EXPECT_EQ(answer.command, "plumbline accept 'runs/new one'");
  Comparison classes = comparison;
  classes.baseline_path = "runs/h200";
  classes.baseline.environment.device_class = "NVIDIA H200";
  EXPECT_EQ(answer_of(classes).command, "plumbline devices runs/h200 'runs/new one'");
  add(comparison, "d/libtorch", same);
  EXPECT_EQ(said(comparison),
            "Cannot tell: 3 of 4 cases were not judged: device class: H100 beside H200.");
  EXPECT_EQ(said(Comparison()), "Not comparable: neither run holds a result.");
  Comparison all_new;
  add(all_new, "a/libtorch", added);
  EXPECT_EQ(said(all_new), "Not comparable: the baseline holds no such case: this run has one.");
  Comparison of_two_suites = all_new;
  for (const char* const id : {"old/1", "old/2"}) {
    of_two_suites.findings.push_back(all_new.findings.front());
    of_two_suites.findings.back().case_id = id;
    of_two_suites.findings.back().verdict = Verdict::missing;
  }
  EXPECT_EQ(said(of_two_suites),
            "Not comparable: the runs have no case in common: 2 cases only in the baseline, 1 only "
            "in this.");
}

/// A case with one judged metric does not count as a case without any.
TEST(Answer, AMetricThatWasNotJudgedLeavesTheOthers) {
  Comparison comparison;
  add(comparison, "a/libtorch", same);
  Finding& hot = add(comparison, "a/libtorch", not_judged);
  hot.metric = "gpu_time_hot";
  hot.reason = "metric not in this run";
  EXPECT_EQ(said(comparison), "Cannot tell: 1 of 1 case was not judged: metric not in this run.");
}

TEST(Answer, AMetricThatLeftItsSuiteIsNamedAndNoPairsAreAskedFor) {
  Comparison comparison;
  comparison.baseline_path = "runs/old";
  comparison.candidate_path = "runs/new";
  comparison.baseline.environment.commit = "1a2b3c4d5e6f";
  comparison.candidate.suites.emplace_back().name = "quick";
  for (const char* id : {"a/libtorch", "b/libtorch"}) {
    add(comparison, id, same);
    Finding& left = add(comparison, id, not_judged);
    left.metric = "kernel_time_cold";
    left.reason = "no longer measured: this run does not ask for it";
  }
  EXPECT_EQ(said(comparison),
            "Cannot tell: kernel_time_cold of 2 cases is no longer measured: this run does not ask "
            "for it.");
  EXPECT_EQ(answer_of(comparison).advice,
            "If that is meant, accept this run: later ones are compared without it.");
  EXPECT_EQ(answer_of(comparison).command, "plumbline accept runs/new");
  add(comparison, "c/libtorch", looks_slower, 0.2);
  EXPECT_EQ(answer_of(comparison).command, "plumbline check quick --baseline-ref 1a2b3c4d5e");
}

TEST(Answer, WhatIsExcusedDoesNotCount) {
  Comparison comparison;
  comparison.ledger.emplace_back().kind = EntryKind::quarantined;
  Finding& excused = add(comparison, "a/libtorch", slower, 0.3);
  excused.entry = 1;
  excused.reason = "quarantined by Ada: two modes";
  EXPECT_EQ(said(comparison), "Not comparable: quarantined by Ada: two modes (1 case).");
  add_same(comparison, 2);
  EXPECT_EQ(answer_of(comparison).kind, AnswerKind::clean);
}

}  // namespace
}  // namespace plumbline
