// What the page says about its own certainty: false alarms, the smallest visible change, blind
// cases.
#include <gtest/gtest.h>

#include <string>

#include "analysis/compare/compare.h"
#include "reports/report.h"
#include "unit/reports/synthetic.h"

namespace plumbline {
namespace {

struct Page {
  SyntheticRun source{SyntheticShape{.cases = 40}};
  Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  Run candidate = source.make(2, [](std::size_t) { return 1.0; });
  Comparison comparison = compare(baseline, candidate, default_rule("cuda"));

  std::string text() const { return render_report({&candidate, &baseline, &comparison}); }
};

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t first = text.find(from);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find(to, first) - first);
}

TEST(SelfCheckOnThePage, the_head_tells_false_alarms_and_the_smallest_visible_change) {
  Page page;
  page.comparison.self_check = pooled({"so", {0, 1, 40}, {{0.05, 39, 40}}, {}, {}}, {});
  const std::string head = between(page.text(), "<header>", "</header>");
  EXPECT_NE(head.find("<p class=\"quiet\">False alarms: 1 in 40 trials without a change"),
            std::string::npos)
      << head;
  EXPECT_NE(
      head.find("Planted slowdowns of 5 % in a twentieth of the cases were found in 39 of 40"),
      std::string::npos)
      << head;
  page.comparison.self_check.reset();
  EXPECT_EQ(between(page.text(), "<header>", "</header>").find("False alarms"), std::string::npos);
}

// Where each case changed, no slowdown was planted in any.
TEST(SelfCheckOnThePage, the_first_screen_is_silent_about_sizes_that_were_planted_nowhere) {
  Page page;
  const auto sure = [&](SelfCheck check) {
    page.comparison.self_check = pooled(std::move(check), {});
    return between(page.text(), "Checked on samples of this comparison", "</p>");
  };
  const std::string nowhere = sure({"so", {0, 1, 40}, {{0.01, 0, 0}, {0.05, 0, 0}}, {}, {}});
  EXPECT_NE(nowhere.find("without a change"), std::string::npos) << nowhere;
  EXPECT_EQ(nowhere.find("were found"), std::string::npos) << nowhere;
  const std::string large = sure({"so", {0, 1, 40}, {{0.01, 0, 0}, {0.05, 39, 40}}, {}, {}});
  EXPECT_NE(large.find("were found in 39 of 40"), std::string::npos) << large;
}

TEST(SelfCheckOnThePage, blind_cases_are_one_folded_list_with_what_would_cure_them) {
  Page page;
  for (Finding& finding : page.comparison.findings) finding.blind.reset();
  const auto section = [&] {
    return between(page.text(), "<section id=\"sensitivity\"", "</section>");
  };
  EXPECT_EQ(page.text().find("<section id=\"sensitivity\""), std::string::npos);
  Finding& first = page.comparison.findings.front();
  first.blind = BlindSpot{.detectable = 0.071, .run_sd = 0.03, .cure = "no <number> of rounds"};
  const std::string text = section();
  EXPECT_NE(text.find("<details><summary>1 case is too noisy"), std::string::npos) << text;
  EXPECT_NE(text.find("no &lt;number&gt; of rounds"), std::string::npos) << text;
  EXPECT_NE(text.find("<td>7.1\u00a0%</td>"), std::string::npos) << text;
  EXPECT_NE(text.find("<b>" + first.op + "</b>"), std::string::npos) << text;
}

}  // namespace
}  // namespace plumbline
