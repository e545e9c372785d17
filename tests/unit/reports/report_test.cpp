#include "reports/report.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/compare/compare.h"
#include "core/error.h"
#include "measure/flags.h"
#include "reports/assets.h"
#include "reports/cells.h"
#include "reports/model.h"
#include "reports/sections/doubts/groups.h"
#include "reports/sections/findings/cards.h"
#include "unit/reports/planted.h"

namespace plumbline {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++count;
  return count;
}

TEST(Report, CardsAreTheBrokenAndTheSlowerCaseAndNoOther) {
  const Planted planted_runs;
  const ReportInput input = planted_runs.input();
  const ReportModel model = make_model(input);
  const Cards cards = make_cards(model, 40);
  ASSERT_EQ(cards.total, 2U);
  EXPECT_EQ(cards.cards[0].view->id, planted_runs.source.id(kBroken));
  EXPECT_TRUE(holds(cards.cards[0].reason, "Was OK, is CRASHED"));
  EXPECT_TRUE(holds(cards.cards[0].reason, "SIGSEGV"));
  EXPECT_EQ(cards.cards[1].view->id, planted_runs.source.id(kSlower));
  EXPECT_EQ(cards.cards[1].lines.size(), 2U);  // both metrics
  EXPECT_EQ(cards.cards[1].reproduce,
            "plumbline run suites/nightly.yaml --case " + planted_runs.source.id(kSlower));
  EXPECT_EQ(cards.cards[1].figures[0]["title"],
            "24 of the candidate’s 24 blocks lie above the median of the baseline’s");
}

TEST(Report, ACauseIsOneCardThatNamesItsRegionItsWorstCaseAndWhatElseChanged) {
  const SlowerRegion planted_runs;
  const ReportInput input = planted_runs.input();
  const ReportModel model = make_model(input);  // cards point into it
  const Cards cards = make_cards(model, 40);
  ASSERT_GE(cards.total, 1U);
  EXPECT_LT(cards.total, 4U) << "one for each backend of softmax";
  const Card& card = cards.cards[0];
  ASSERT_NE(card.cause, nullptr);
  EXPECT_EQ(card.view->id, card.cause->worst_case);
  EXPECT_GT(card.cause->cases, 1U);
  EXPECT_GE(card.cases.size(), card.cause->cases);
  const std::string page = render_report(input);
  EXPECT_TRUE(holds(page, "with dtype=bfloat16"));
  EXPECT_TRUE(holds(page, "registers of a thread 96 → 128"));
  EXPECT_TRUE(holds(page, "<summary>all " + std::to_string(card.cause->cases) + " cases"));
}

TEST(Report, ThePageSaysTheVerdictFirstAndLinksToEachCase) {
  const Planted planted_runs;
  const std::string page = render_report(planted_runs.input());
  EXPECT_TRUE(holds(page, ">Broken</button>:</span> "));
  EXPECT_LT(page.find("Broken</button>:</span>"), page.find("id=\"forest\""));
  EXPECT_LT(page.find("id=\"forest\""), page.find("What needs action"));
  EXPECT_LT(page.find("What needs action"), page.find("All cases"));
  EXPECT_TRUE(holds(page, "580.82.07"));  // the driver differs and is named
}

TEST(Report, TheHeadTellsShiftsOfTheRunAndOfItsPartsWithTheirIntervals) {
  Planted planted_runs;
  EXPECT_TRUE(holds(render_report(planted_runs.input()), "No movement common to all cases"));
  planted_runs.comparison.shift = RunShift{0.04, 0.039, 0.041, 60};
  planted_runs.comparison.part_shifts = {{0.07, 0.068, 0.072, 20, RunPart::memory}};
  const std::string page = render_report(planted_runs.input());
  EXPECT_TRUE(holds(page, "The whole run moved by +4.0"));
  EXPECT_TRUE(holds(page, "seen in 60 cases, the memory-bound part of the run moved by +7.0"));
  EXPECT_TRUE(holds(page, "seen in 20 cases; the changes below are what remains."));
}

TEST(Report, CasesWithoutAVerdictAreGrouped) {
  const Planted planted_runs;
  const ReportInput input = planted_runs.input();
  std::size_t missing = 0, added = 0, fixed = 0, unstable = 0;
  for (const DoubtGroup& group : make_doubt_groups(make_model(input))) {
    if (group.label.word == "missing") missing = group.views.size();
    if (group.label.word == "new") added = group.views.size();
    if (group.label.word == "fixed") fixed = group.views.size();
    if (group.label.word == "unstable" && group.reason == kFlagBimodal)
      unstable = group.views.size();
  }
  EXPECT_EQ(unstable, 2 * 7U) << "every eleventh of 80 cases from the fifth, both metrics";
  EXPECT_GE(missing, 1U);
  EXPECT_GE(added, 1U);
  EXPECT_EQ(fixed, 0U);
  const std::string page = render_report(input);
  EXPECT_TRUE(holds(page, "</span> 14 metrics of 7 cases · <bdi>" + std::string(kFlagBimodal)));
}

TEST(Report, RowsDoNotRepeatTheReasonThatTheirHeadingTells) {
  SyntheticRun source{SyntheticShape{.cases = 4}};
  plumbline::Run run = source.make(1, [](std::size_t) { return 1.0; });
  for (ResultRow& row : run.rows) {
    if (row.case_id != source.id(0) && row.case_id != source.id(1)) continue;
    row.status = Status::unsupported;
    row.reason = "there is no such kernel";
    row.samples = {};
  }
  const std::string page = render_report({&run});
  const std::size_t begin = page.find("<section id=\"doubts\"");
  ASSERT_NE(begin, std::string::npos);
  const std::string section = page.substr(begin, page.find("</section>", begin) - begin);
  EXPECT_TRUE(holds(section, "</summary>"));
  EXPECT_EQ(occurrences(section, "there is no such kernel"), 1U);
}

TEST(Report, EmptySectionsTakeNoRoom) {
  SyntheticRun source{SyntheticShape{.cases = 4}};  // none of them is bimodal
  const plumbline::Run before = source.make(1, [](std::size_t) { return 1.0; });
  plumbline::Run after = source.make(2, [](std::size_t) { return 1.0; });
  Comparison comparison = compare(before, after, default_rule("cuda"));
  for (Finding& finding : comparison.findings) {
    finding.verdict = Verdict::same;
    finding.blind.reset();
  }
  const std::string page = render_report({&after, &before, &comparison});
  for (const char* name : {"findings", "unconfirmed", "ledger-effects", "doubts", "sensitivity"})
    EXPECT_FALSE(holds(page, "<section id=\"" + std::string(name))) << name;
  EXPECT_FALSE(holds(page, "none.</p>"));
  const std::string alone = render_report({&after});
  for (const char* name : {"forest", "findings", "unconfirmed", "doubts", "sensitivity"})
    EXPECT_FALSE(holds(alone, "<section id=\"" + std::string(name))) << name;
}

TEST(Report, WhatPairsDidNotConfirmShowsTheBaselineThenAndToday) {
  Planted some;
  Finding& finding = some.comparison.findings.back();
  finding.verdict = Verdict::same;
  finding.screened = 0.08;
  finding.pairs = 12;
  finding.baseline = 1e-4;
  finding.baseline_today = 1.08e-4;
  finding.candidate = 1.081e-4;
  finding.change = 0.001;
  finding.unit = "s";
  const std::string page = render_report(some.input());
  EXPECT_TRUE(holds(page,
                    "<td class=\"num\">100\u00A0µs</td><td class=\"num\">108\u00A0µs</td>"
                    "<td class=\"num\">108\u00A0µs</td>"))
      << page.substr(page.find("id=\"unconfirmed\""), 1500);
}

TEST(Report, ARenamedCaseIsListedWithItsFormerName) {
  SyntheticRun source{SyntheticShape{.cases = 6}};
  const plumbline::Run before = source.make(1, [](std::size_t) { return 1.0; });
  plumbline::Run after = source.make(2, [](std::size_t) { return 1.0; });
  const std::string today = "new_" + source.id(3);
  for (ResultRow& row : after.rows)
    if (row.case_id == source.id(3)) row.case_id = today;
  CompareOptions options;
  options.renames[{"nightly", source.id(3)}] = today;
  const Comparison comparison = compare(before, after, default_rule("cuda"), options);
  const std::string page = render_report({&after, &before, &comparison});
  EXPECT_TRUE(holds(page, "renamed from " + source.id(3)));
}

TEST(Report, ARunAloneSaysSoAndShowsFailuresFirst) {
  const Planted planted_runs;
  const ReportInput input{&planted_runs.candidate};
  const ReportModel model = make_model(input);
  EXPECT_EQ(model.cases.front().label.word, "crashed");
  EXPECT_EQ(model.cases.front().id, planted_runs.source.id(kBroken));
  const std::string page = render_report(input);
  EXPECT_TRUE(holds(
      page, "78 of 79 cases were measured; 1 crashed. There is no baseline to compare with."));
  EXPECT_FALSE(holds(page, "plumbline accept"));
}

TEST(Report, NothingOnThePageCanBeFetched) {
  const Planted planted_runs;
  const std::string page = render_report(planted_runs.input());
  EXPECT_TRUE(
      holds(page, "default-src 'none'; script-src '" + std::string(report_assets().js_hash) + "'"));
  EXPECT_FALSE(holds(page, "sourceMappingURL"));
  EXPECT_FALSE(holds(page, "src=\"http"));
  EXPECT_FALSE(holds(page, "url(http"));
  EXPECT_FALSE(holds(page, "@import"));
}

TEST(Report, HostileNamesAreTextEverywhere) {
  SyntheticRun source({.cases = 40, .hostile = true});
  plumbline::Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  plumbline::Run candidate =
      source.make(2, [](std::size_t i) { return i >= 1 && i <= 8 ? 1.2 : 1.0; });
  candidate.warnings = hostile_names();
  fail_case(candidate, source.id(20), Status::crashed, hostile_names()[0]);
  Comparison comparison = compare(baseline, candidate, default_rule("cuda"));
  explain(comparison, baseline, candidate);
  ReportInput input{&candidate, &baseline, &comparison};
  input.title = input.project = input.commit_subject = input.commit_author = hostile_names()[0];
  const std::string page = render_report(input);
  EXPECT_EQ(occurrences(page, "</script>"), occurrences(page, "<script"));
  EXPECT_EQ(occurrences(page, "<script"), 4U);  // three of data, one of code
  EXPECT_FALSE(holds(page, "<img"));
  EXPECT_FALSE(holds(page.substr(0, page.find("<script")), "\" onmouseover"));
  EXPECT_TRUE(holds(page, "{{sections}}"));  // the name itself, not a filled placeholder
}

TEST(Report, TheWorkPerSecondIsOfTheCandidateOnly) {
  const Planted planted_runs;
  const ReportInput input = planted_runs.input();
  for (const CaseView& of_model : make_model(input).cases)
    if (of_model.id == planted_runs.source.id(kMissing)) {
      EXPECT_EQ(cells_of(of_model).rate.after, "–");
    }
  CaseView view;
  view.achieved.flops_per_s = 1e12;
  view.achieved.bytes_per_s = 5e8;
  EXPECT_EQ(cells_of(view).rate.after + cells_of(view).rate.unit, "1.00TFLOP/s");
  view.achieved.flops_per_s = 5e8;
  EXPECT_EQ(rate_of(view).unit, "B/s");
}

TEST(Report, WithoutACandidateItIsRefused) { EXPECT_THROW(render_report(ReportInput{}), Error); }

}  // namespace
}  // namespace plumbline
