#include "reports/exports/exports.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "core/visible.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

Finding finding_of(Verdict verdict, const std::string& id, const std::string& reason = "") {
  Finding finding;
  finding.suite = "quick";
  finding.case_id = id;
  finding.op = "softmax";
  finding.backend = "libtorch";
  finding.metric = "gpu_time_cold";
  finding.unit = "s";
  finding.verdict = verdict;
  finding.reason = reason;
  finding.baseline = 1e-5;
  finding.candidate = 1.05e-5;
  finding.change = 0.05;
  finding.change_low = 0.04;
  finding.change_high = 0.06;
  finding.pairs = 12;
  return finding;
}

Comparison with(std::vector<Finding> findings) {
  Comparison made;
  made.candidate.suites = {{"quick", "suites/quick.yaml", "", {}}};
  made.findings = std::move(findings);
  return made;
}

/// One case of each verdict, with names that are markup in all formats.
Comparison one_of_each() {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i)
    findings.push_back(finding_of(static_cast<Verdict>(i),
                                  "op/<b>&\"'|`_*]]>%0A" + std::to_string(i), "a\nb <i>|`\x01"));
  return with(std::move(findings));
}

/// Two slower cases of one cause, and one without.
Comparison with_a_cause() {
  Comparison made = with({finding_of(Verdict::slower, "softmax/libtorch/n=1"),
                          finding_of(Verdict::slower, "softmax/libtorch/n=2"),
                          finding_of(Verdict::slower, "softmax/libtorch/n=3")});
  made.findings[0].cause = made.findings[1].cause = 1;
  Cause& cause = made.causes.emplace_back();
  cause.verdict = Verdict::slower;
  cause.parts = {{"softmax", "libtorch", {{"n", {}, false, {}, 2}}, 2, 2, 0}};
  cause.cases = 2;
  return made;
}

constexpr const char* kCause = "softmax libtorch: both cases with n ≤ 2";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Markdown, PutsWhatIsWorstFirstAndKeepsNamesFromBeingMarkup) {
  const std::string text = markdown_text(one_of_each());
  EXPECT_LT(text.find("**BROKEN**"), text.find("**SLOWER**"));
  EXPECT_LT(text.find("**SLOWER**"), text.find("**FASTER**"));
  EXPECT_EQ(text.find("**SAME**"), text.npos);
  EXPECT_EQ(count(text, "<b>"), 0u);
  EXPECT_EQ(count(text, "\\<b\\>"), 11u) << "ten rows, and the missing case in the headline";
  for (const char* part : {" → ", "+5.0", "\\[+4.0, +6.0\\]", ", 12 pairs"})
    EXPECT_NE(text.find(part), text.npos) << part << " in " << text;
}

TEST(Exports, EveryFormatNamesTheCause) {
  const Comparison made = with_a_cause();
  const std::string markdown = markdown_text(made);
  EXPECT_NE(markdown.find(std::string("\n1. **SLOWER** ") + kCause), markdown.npos) << markdown;
  EXPECT_EQ(count(markdown, "| **SLOWER** | 1 |"), 2u);
  EXPECT_EQ(count(markdown, "| **SLOWER** |  |"), 1u);
  EXPECT_EQ(count(junit_text(made), std::string("cause 1: ") + kCause), 2u);
  EXPECT_EQ(count(sarif_text(made), std::string("cause 1: ") + kCause), 2u);
  const std::string annotations = annotations_text(made);
  EXPECT_EQ(count(annotations, "::error "), 2u) << "one for the cause, one for the case without";
  EXPECT_EQ(count(annotations, kCause), 1u);
}

TEST(Markdown, TellsCausesFirstAndBlindCasesInOneLine) {
  Comparison made = with_a_cause();
  made.notes = {"a note"};
  for (int i = 0; i < 12; ++i) {
    made.findings.push_back(finding_of(Verdict::unresolved, "blind/" + std::to_string(i)));
    made.findings.back().blind = BlindSpot{.detectable = 0.07, .margin = 0.02, .cure = "9 rounds"};
  }
  const std::string text = markdown_text(made);
  EXPECT_LT(text.find(kCause), text.find("| verdict |"));
  EXPECT_LT(text.find("| verdict |"), text.find("- a note"));
  EXPECT_EQ(count(text, "\n- "), 2u) << text;
  EXPECT_EQ(count(text, "12 of 15 cases"), 1u) << text;
}

TEST(Exports, EverySlowerCaseHasAWhy) {
  Finding confirmed = finding_of(Verdict::slower, "softmax/libtorch/n=1");
  const Comparison made = with({confirmed});
  for (const std::string& text : {markdown_text(made), junit_text(made), sarif_text(made)})
    EXPECT_EQ(count(text, "12 pairs"), 1u) << text;
  EXPECT_NE(junit_text(made).find(">confirmed in 12 pairs</failure>"), std::string::npos)
      << junit_text(made);
}

TEST(Markdown, StaysBelowTheLimitAndCountsWhatDoesNotFit) {
  std::vector<Finding> findings;
  for (int i = 0; i < 5000; ++i)
    findings.push_back(finding_of(Verdict::slower, "case/" + std::to_string(i)));
  const std::string text = markdown_text(with(findings));
  EXPECT_LE(text.size(), kMarkdownLimit);
  EXPECT_GT(text.size(), kMarkdownLimit - 500);
  const std::size_t rows = count(text, "| **SLOWER**");
  EXPECT_NE(text.find(std::to_string(5000 - rows) + " more are in comparison.json"), text.npos);
}

TEST(JUnit, FailsWhatAGateStopsAtAndSkipsWhatWasNotJudged) {
  const std::string text = junit_text(one_of_each());
  EXPECT_EQ(count(text, "<testcase "), kVerdictNames.size());
  EXPECT_EQ(count(text, "<failure "), 3u);  // SLOWER, BROKEN, MISSING
  EXPECT_EQ(count(text, "<skipped "), 3u);  // LOOKS_SLOWER, NOT_JUDGED, EXPECTED
  EXPECT_EQ(count(text, "<system-out>"), kVerdictNames.size() - 6);
  EXPECT_NE(text.find("tests=\"12\" failures=\"3\" errors=\"0\" skipped=\"3\""), text.npos);
  EXPECT_EQ(count(text, "<b>"), 0u);
  EXPECT_EQ(text.find('\x01'), text.npos);
  EXPECT_NE(text.find("time=\"1.05e-05\""), text.npos);
}

TEST(Exports, AShiftOfTheRunIsNamedInEveryFormat) {
  Comparison shifted = one_of_each();
  shifted.shift = RunShift{.change = 0.04, .change_low = 0.03, .change_high = 0.05, .cases = 9};
  const char* const what = "The whole run is 4.0 % slower than the baseline (9 cases)";
  for (const std::string& text : {junit_text(shifted), sarif_text(shifted), markdown_text(shifted)})
    EXPECT_EQ(count(text, what), 1u) << text;
  EXPECT_NE(junit_text(shifted).find("tests=\"13\" failures=\"4\""), std::string::npos);
  EXPECT_EQ(count(junit_text(shifted), "<failure "), 4u);
  EXPECT_EQ(count(annotations_text(shifted),
                  "::warning title=Plumbline%3A a shift::The whole run is 4.0 %25 slower"),
            1u);
  const auto run = nlohmann::json::parse(sarif_text(shifted))["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"][std::size_t(run["results"][0]["ruleIndex"])]["id"],
            run["results"][0]["ruleId"]);
}

TEST(Exports, WhatTheComparisonMeasuredOfItselfIsInEveryFormat) {
  Comparison made = one_of_each();
  made.null_check = NullCheck{"makespan", 4, 3.5, 4.6, 400};
  made.self_check = pooled({"so", {0, 1, 40}, {{0.05, 39, 40}}, {}, {}}, {});
  DistributionChange& tail = made.distribution_changes.emplace_back();
  tail.case_id = "gemm/<b>";
  tail.change = 0.12;
  made.findings[0].blind = BlindSpot{.detectable = 0.071, .margin = 0.02, .cure = "9 rounds"};
  for (const std::string& text : {markdown_text(made), junit_text(made), sarif_text(made)}) {
    EXPECT_EQ(count(text,
                    "Noise check of makespan: changes of 400 cases scatter 2.00 times as much as "
                    "expected (λ = 4.00"),
              1u)
        << text;
    EXPECT_EQ(count(text, "False alarms: 1 in 40 trials without a change"), 1u);
    EXPECT_EQ(
        count(text,
              "1 of 12 cases would often miss a slowdown of 2 %; longer measuring fixes none."),
        1u);
    EXPECT_EQ(count(text, "the 95th percentile of its blocks is 12 % slower"), 1u);
  }
  const auto run = nlohmann::json::parse(sarif_text(made))["runs"][0];
  const auto told = run["invocations"][0];
  EXPECT_EQ(told["executionSuccessful"], true);
  EXPECT_EQ(told["toolExecutionNotifications"].size(), 4u);
  EXPECT_EQ(told["toolExecutionNotifications"][0]["level"], "note");
  const std::string junit = junit_text(made);
  EXPECT_EQ(count(junit, "<property name="), 4u);
  EXPECT_NE(junit.find("<testsuite name=\"plumbline\" tests=\"0\" failures=\"0\""), junit.npos);
  EXPECT_EQ(count(junit, "<testcase "), kVerdictNames.size());
}

TEST(Markdown, RanksWhatStayedOpenByEvidenceAndShowsWhatPairsDidNotConfirm) {
  Finding noisy = finding_of(Verdict::unresolved, "noisy"), near = noisy, demoted = noisy;
  noisy.pairs = near.pairs = 0;
  noisy.change = 0.4;  // large, but its interval leaves everything open
  noisy.change_low = -0.3;
  noisy.change_high = 1.5;
  noisy.p_value = 0.2;
  near.case_id = "near";
  near.p_value = 0.003;
  demoted.case_id = "demoted";
  demoted.verdict = Verdict::same;
  demoted.change = 0.001;
  demoted.screened = 0.06;
  demoted.reason = "looked +6.0 % against the baseline";
  const std::string text = markdown_text(with({noisy, near, demoted}));
  EXPECT_LT(text.find("| near |"), text.find("| noisy |")) << text;
  EXPECT_NE(text.find("| **unconfirmed (SAME)** |  | demoted |"), text.npos) << text;
  EXPECT_NE(text.find("looked +6.0 % against the baseline"), text.npos);
}

TEST(Markdown, ShowsTheRawChangeBesideOneThatAShiftWasTakenOff) {
  Finding moved = finding_of(Verdict::slower, "moved"), same = finding_of(Verdict::slower, "same");
  moved.pairs = same.pairs = 0;
  moved.raw_change = 0.1025;
  same.raw_change = same.change;
  const std::string text = markdown_text(with({moved, same}));
  EXPECT_EQ(count(text, "+6.0\\], +10.2"), 1u) << text;
  EXPECT_EQ(count(text, " raw"), 1u);
}

TEST(JUnit, HoldsNoCharacterThatXmlDoesNotHave) {
  Comparison comparison = one_of_each();
  comparison.findings[0].reason = "a\xEF\xBF\xBE b\xEF\xBF\xBF";
  const std::string text = junit_text(comparison);
  EXPECT_EQ(text.find("\xEF\xBF\xBE"), std::string::npos);
  EXPECT_EQ(text.find("\xEF\xBF\xBF"), std::string::npos);
  EXPECT_NE(text.find("a\uFFFD b\uFFFD"), std::string::npos);
}

TEST(Exports, BytesThatAreNoUtf8AreNeverWritten) {
  Comparison comparison = one_of_each();
  comparison.findings[0].case_id = "a\xFF";
  comparison.findings[1].reason = "b\xFE";
  for (const std::string& text : {junit_text(comparison), markdown_text(comparison)})
    EXPECT_EQ(valid_utf8(text), text);
}

/// Invisible characters wherever a comparison has texts of others.
Comparison invisible_texts() {
  const std::string hostile = "\u202E\u200B\x1B[31m\u009B";
  Comparison comparison = one_of_each();
  for (Finding& finding : comparison.findings)
    for (std::string* text : {&finding.suite, &finding.case_id, &finding.op, &finding.metric,
                              &finding.unit, &finding.reason, &finding.renamed_from})
      *text += hostile;
  comparison.notes.push_back(hostile);
  comparison.environment_changes.push_back({"driver", "driver", "environment", hostile, "580"});
  comparison.candidate.suites = {{comparison.findings.front().suite, hostile + ".yaml", "", {}}};
  return comparison;
}

/// Annotations are orders for GitHub: without the `::` at the begin of each.
std::string without_orders(const std::string& annotations) {
  return std::regex_replace(annotations, std::regex("(^|\n)::"), "$1");
}

TEST(Exports, WhatActsWithoutBeingSeenIsSpelledOut) {
  const Comparison comparison = invisible_texts();
  for (const std::string& text :
       {junit_text(comparison), markdown_text(comparison), sarif_text(comparison),
        without_orders(annotations_text(comparison))}) {
    EXPECT_NE(text.find("⟨U+202E⟩⟨U+200B⟩⟨U+001B⟩"), std::string::npos);
    EXPECT_EQ(visible(text), text);
    EXPECT_EQ(text.find("\\u"), std::string::npos);  // JSON's escape for them
  }
}

TEST(Sarif, IsALogWhoseResultsHaveRulePlaceAndALastingFingerprint) {
  const auto log = nlohmann::json::parse(sarif_text(one_of_each()));
  EXPECT_EQ(log["version"], "2.1.0");
  const auto& run = log["runs"][0];
  EXPECT_EQ(run["results"].size(), 9u);
  for (const auto& result : run["results"]) {
    const auto& rule = run["tool"]["driver"]["rules"][std::size_t(result["ruleIndex"])];
    EXPECT_EQ(rule["id"], result["ruleId"]);
    EXPECT_EQ(rule["defaultConfiguration"]["level"], result["level"]);
    EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
              "suites/quick.yaml");
  }
  Comparison later = one_of_each();
  for (Finding& finding : later.findings) finding.change = 0.5;
  const auto again = nlohmann::json::parse(sarif_text(later));
  EXPECT_EQ(again["runs"][0]["results"][0]["partialFingerprints"],
            run["results"][0]["partialFingerprints"]);
  EXPECT_NE(run["results"][1]["partialFingerprints"], run["results"][0]["partialFingerprints"]);
}

/// A place for the case, in a file whose name is hostile to both formats.
SourcePlaces places_of(const std::string& case_id) {
  return {{CaseKey{"quick", case_id}, {"a,b:c%\n.cu", 12, 15}}};
}

TEST(Sarif, NamesTheLinesThatChanged) {
  const auto log =
      nlohmann::json::parse(sarif_text(with({finding_of(Verdict::slower, "softmax/n=1"),
                                             finding_of(Verdict::slower, "softmax/n=2")}),
                                       places_of("softmax/n=1")));
  const auto place = [&](std::size_t i) {
    return log["runs"][0]["results"][i]["locations"][0]["physicalLocation"];
  };
  EXPECT_EQ(place(0)["artifactLocation"]["uri"], "a%2Cb%3Ac%25%0A.cu");
  EXPECT_EQ(place(0)["region"], (nlohmann::json{{"startLine", 12}, {"endLine", 15}}));
  EXPECT_EQ(place(1)["artifactLocation"]["uri"], "suites/quick.yaml");
}

TEST(Annotations, NameTheLinesThatChanged) {
  const std::string text = annotations_text(with({finding_of(Verdict::slower, "softmax/n=1")}),
                                            places_of("softmax/n=1"));
  EXPECT_TRUE(text.starts_with("::error file=a%2Cb%3Ac%25%0A.cu,line=12,endLine=15,title=SLOWER "))
      << text;
  EXPECT_EQ(count(text, "\n"), 1u);
}

TEST(Annotations, AreOneLineEachAndTenOfAKindAtMost) {
  const std::string few = annotations_text(one_of_each());
  EXPECT_EQ(count(few, "::error "), 2u);
  EXPECT_EQ(count(few, "::warning "), 2u);
  EXPECT_EQ(count(few, "\n"), 4u);
  EXPECT_NE(few.find("%250A"), few.npos) << "a percent sign in a name is no escape";
  std::vector<Finding> findings;
  for (int i = 0; i < 30; ++i)
    findings.push_back(finding_of(Verdict::slower, "case/" + std::to_string(i)));
  const std::string many = annotations_text(with(findings));
  EXPECT_EQ(count(many, "::error "), 10u);
  EXPECT_NE(many.find("21 more are in the report"), many.npos);
}

}  // namespace
}  // namespace plumbline
