#include "cli/judge/verdict_text.h"

#include <gtest/gtest.h>

#include <string>

namespace plumbline {
namespace {

/// Each op is slower for a different reason.
Comparison with_causes(std::size_t count) {
  Comparison made;
  for (std::size_t i = 0; i < count; ++i) {
    Finding& finding = made.findings.emplace_back();
    finding.suite = "quick";
    finding.op = "op" + std::to_string(i);
    finding.case_id = finding.op + "/libtorch/n=1";
    finding.metric = "gpu_time_cold";
    finding.unit = "s";
    finding.verdict = Verdict::slower;
    finding.change = 0.1;
    finding.cause = i + 1;
    Cause& cause = made.causes.emplace_back();
    cause.verdict = Verdict::slower;
    cause.parts = {{finding.op, "libtorch", {}, 1, 1, 0}};
    cause.cases = 1;
  }
  return made;
}

TEST(VerdictText, ShowsFiveCausesAndSaysWhereTheOthersAre) {
  const std::string text = verdict_text(with_causes(7), "night/report.html");
  EXPECT_NE(text.find("cause 5: SLOWER op4"), text.npos) << text;
  EXPECT_EQ(text.find("cause 6:"), text.npos) << text;
  EXPECT_NE(text.find("and 2 more causes; the page has all:\n  night/report.html\n"), text.npos)
      << text;
}

TEST(VerdictText, FiveCausesNeedNoPointer) {
  EXPECT_EQ(verdict_text(with_causes(5), "night/report.html").find("night/report.html"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline
