/// The command that shows what changed between the sides of a comparison.
#include "reports/next_command.h"

#include <gtest/gtest.h>

#include "reports/answer.h"

namespace plumbline {
namespace {

Comparison of_commits(const std::string& from, const std::string& to, bool is_edited) {
  Comparison comparison;
  comparison.baseline.environment.commit = from;
  comparison.candidate.environment.commit = to;
  comparison.candidate.environment.dirty = is_edited;
  return comparison;
}

TEST(Difference, OfTwoCommitsIsWhatLiesBetweenThem) {
  EXPECT_EQ(difference_command(of_commits("aaaa0000bbbb1111", "cccc0000dddd1111", false)),
            "git log --oneline aaaa0000bbbb..cccc0000dddd");
}

TEST(Difference, OfEditedFilesIsTheirDifferenceFromTheBaselinesCommit) {
  EXPECT_EQ(difference_command(of_commits("aaaa0000bbbb1111", "aaaa0000bbbb1111", true)),
            "git diff --stat aaaa0000bbbb");
}

TEST(Difference, OfWhatIsNotRecordedIsNotShown) {
  EXPECT_EQ(difference_command(of_commits("", "cccc0000dddd1111", false)), "");
  EXPECT_EQ(difference_command(of_commits("aaaa0000bbbb1111", "", true)), "");
  EXPECT_EQ(difference_command(of_commits("aaaa0000bbbb1111", "aaaa0000bbbb1111", false)), "");
  Comparison edited = of_commits("aaaa0000bbbb1111", "cccc0000dddd1111", false);
  edited.baseline.environment.dirty = true;
  EXPECT_EQ(difference_command(edited), "");
}

TEST(Difference, IsWhatASlowerHeadlineProposes) {
  Comparison slower = of_commits("aaaa0000bbbb1111", "cccc0000dddd1111", false);
  Finding& finding = slower.findings.emplace_back();
  finding.case_id = "relu/libtorch/n=1";
  finding.verdict = Verdict::slower;
  finding.change = 0.1;
  EXPECT_EQ(answer_of(slower).command, difference_command(slower));
  EXPECT_EQ(answer_of(slower).advice, "See what changed between the sides.");
  slower.candidate.environment.commit = "";
  EXPECT_EQ(answer_of(slower).advice, "");
}

TEST(Pairs, MeasureTheCasesOfThisRunOnItsDeviceAndInItsWay) {
  Comparison comparison = of_commits("aaaa0000bbbb1111", "cccc0000dddd1111", false);
  comparison.baseline_path = "runs/first";
  comparison.candidate.suites.emplace_back().path = "my suites/mine.yaml";
  Asked& asked = comparison.candidate.asked.emplace();
  asked.device = "auto";
  EXPECT_EQ(pairs_command(comparison), "plumbline ab aaaa0000bb . 'my suites/mine.yaml'");
  asked.filters = {"softmax/*"};
  asked.tags = {"small"};
  asked.set = {"dtype=float32"};
  asked.policy = {{"budget_s", "1"}, {"cache", "cold"}, {"rounds", "2"}, {"seed", "7"}};
  asked.device = "cpu";
  const std::string options =
      " --set dtype=float32 --filter 'softmax/*' --tag small --budget-s 1 --cache cold --device "
      "cpu";
  EXPECT_EQ(pairs_command(comparison), "plumbline ab aaaa0000bb . 'my suites/mine.yaml'" + options);
  EXPECT_EQ(rerun_command(comparison),
            "plumbline check 'my suites/mine.yaml'" + options + " --rerun --baseline runs/first");
}

}  // namespace
}  // namespace plumbline
