#include "analysis/confirm/side_code.h"

#include <gtest/gtest.h>

#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

const CaseKey kCase{"quick", "gelu/custom/n=1"};

/// A run of one case whose code and file have that hash.
Run run_of(const std::string& code, const std::string& worker = "w",
           const std::string& file = "kernels/gelu.cu") {
  Run run = planted::run_on("NVIDIA H200");
  planted::add_case(run, kCase.case_id, 1e-4);
  for (ResultRow& row : run.rows) row.code = code;
  run.info.environment.worker_hash = worker;
  run.info.suites = {{"quick", "quick.yaml", "hash", {{file, code}}}};
  return run;
}

struct Told {
  SideCode code;
  Comparison comparison;
  const Finding& finding() const { return comparison.findings.front(); }
};

/// The four runs of a check, and what is said about their case.
Told told(const Run& baseline, const Run& candidate, const Run& a, const Run& b,
          bool have_own_workers = false) {
  Told result;
  result.comparison = compare(baseline, candidate, default_rule("cuda"));
  PairedSides sides{a, b, "main", "the present folder", have_own_workers, true, "", ""};
  result.code = compare_code(baseline, candidate, sides, {});
  refuse(result.code, result.comparison);
  return result;
}

TEST(SideCode, ThatIsTheSameOnBothSidesAlthoughTheHashesDifferIsNotJudged) {
  const Told found = told(run_of("1"), run_of("2"), run_of("2"), run_of("2"));
  EXPECT_EQ(found.finding().verdict, Verdict::not_judged);
  EXPECT_EQ(found.finding().reason,
            "both sides of the pairs ran the same bytes, although the code of the baseline and of "
            "this run differ (files of the suite that changed: kernels/gelu.cu): main is not what "
            "the baseline was measured with");
  EXPECT_FALSE(found.finding().change);
  EXPECT_EQ(exit_code(found.comparison), 3);
}

TEST(SideCode, OfTheRunThatIsOnNoSideIsNotJudged) {
  const Told found = told(run_of("1"), run_of("2"), run_of("1"), run_of("1"));
  EXPECT_EQ(found.finding().verdict, Verdict::not_judged);
  EXPECT_TRUE(found.finding().reason.ends_with("the present folder is not what this run measured"))
      << found.finding().reason;
}

TEST(SideCode, ThatDiffersBetweenTheSidesIsJudged) {
  const Told found = told(run_of("1"), run_of("2"), run_of("1"), run_of("2"));
  EXPECT_EQ(found.finding().verdict, Verdict::same);
  EXPECT_TRUE(found.code.refused.empty());
  EXPECT_TRUE(found.code.not_accepted.empty());
  EXPECT_TRUE(found.code.notes.empty());
}

TEST(SideCode, ThatNoCommitChangedIsJudged) {
  EXPECT_TRUE(told(run_of("1"), run_of("1"), run_of("1"), run_of("1")).code.refused.empty());
}

TEST(SideCode, ThatWasNotRecordedSaysNothing) {
  EXPECT_TRUE(told(run_of(""), run_of("2"), run_of("2"), run_of("2")).code.refused.empty());
}

TEST(SideCode, OfABaselinesSideThatWasNotAcceptedIsTold) {
  const Told found = told(run_of("1"), run_of("3"), run_of("2"), run_of("3"));
  EXPECT_EQ(found.finding().verdict, Verdict::same);
  EXPECT_EQ(found.code.not_accepted.at(kCase),
            "main is not what the baseline was measured with (files of the suite that changed: "
            "kernels/gelu.cu)");
  ASSERT_EQ(found.comparison.notes.size(), found.code.notes.size() + 1);
  EXPECT_NE(found.comparison.notes.back().find("judged by the pairs, beside main as it is today"),
            std::string::npos);
}

TEST(SideCode, WithOtherVariablesOrAnotherWorkerIsNotTheSame) {
  auto a = run_of("2");
  a.info.variables = {{"LD_LIBRARY_PATH", "/opt/old"}};
  EXPECT_TRUE(told(run_of("1"), run_of("2"), a, run_of("2")).code.refused.empty());
  EXPECT_TRUE(told(run_of("1"), run_of("2"), run_of("2", "v"), run_of("2")).code.refused.empty());
}

TEST(SideCode, OfAWorkerCountsWhereTheSidesHaveTheirOwn) {
  const auto before = run_of("", "v"), now = run_of("", "w");
  EXPECT_TRUE(told(before, now, now, now, /*have_own_workers=*/false).code.refused.empty())
      << "Plumbline itself is another; no commit of the sides changed it";
  const Told found = told(before, now, now, now, /*have_own_workers=*/true);
  EXPECT_NE(found.finding().reason.find("although the workers"), std::string::npos)
      << found.finding().reason;
  EXPECT_EQ(found.finding().verdict, Verdict::not_judged);
}

TEST(SideCode, ThatOneSideReadsOfTheOtherIsNotJudged) {
  const auto a = run_of("2", "w", "/repo/kernels/gelu.cu"), b = run_of("2");
  Comparison comparison = compare(a, b, default_rule("cuda"));
  PairedSides sides{a, b, "HEAD~1", ".", false, true, "/cache/trees/1", "/repo"};
  refuse(compare_code(sides), comparison);
  EXPECT_EQ(comparison.findings.front().verdict, Verdict::not_judged);
  EXPECT_EQ(comparison.findings.front().reason,
            "HEAD~1 reads /repo/kernels/gelu.cu, which is a file of .: both sides run the same; "
            "name it from the suite's folder (a library that others link: by rpath or "
            "LD_LIBRARY_PATH)");
  EXPECT_TRUE(compare_code(sides).notes.empty()) << "nothing is said to be chance";
  // One tree inside the other: nobody can tell to which one the file belongs.
  sides.root_a = "/repo/old";
  EXPECT_TRUE(compare_code(sides).refused.empty());
}

TEST(SideCode, ThatIsTheSameInEveryCaseIsTold) {
  const auto a = run_of("2"), b = run_of("2"), other = run_of("3");
  EXPECT_EQ(compare_code({a, b, "a", "b", false, true, "", ""}).notes.size(), 1u);
  EXPECT_EQ(compare_code({a, b, "a", "b", false, /*have_one_worker=*/false, "", ""}).notes.size(),
            0u);
  EXPECT_EQ(compare_code({a, other, "a", "b", false, true, "", ""}).notes.size(), 0u);
}

}  // namespace
}  // namespace plumbline
