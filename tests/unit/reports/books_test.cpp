#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/compare/compare.h"
#include "analysis/compare/ledger_effects.h"
#include "reports/exports/exports.h"
#include "reports/model.h"
#include "reports/sections/detail/facts.h"
#include "store/file.h"
#include "store/verdict/comparison_json.h"
#include "support/run_files.h"
#include "unit/reports/synthetic.h"

namespace plumbline {
namespace {

constexpr std::size_t kSlower = 7, kBroken = 51, kMissing = 70, kExpected = 52, kAlarm = 8;

/// A comparison with an acknowledged and an unacknowledged slower case, a quarantined broken case,
/// and one that fails as expected.
struct Excused {
  SyntheticRun source{SyntheticShape{.cases = 80}};
  Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  Run candidate =
      source.make(2, [](std::size_t i) { return i == kSlower || i == kAlarm ? 1.1 : 1.0; });
  Comparison comparison;

  Excused() {
    fail_case(candidate, source.id(kBroken), Status::crashed, "signal 11");
    fail_case(candidate, source.id(kExpected), Status::wrong, "off by 1");
    std::erase_if(candidate.rows,
                  [&](const ResultRow& row) { return row.case_id == source.id(kMissing); });
    const std::string suite = candidate.rows[0].suite;
    candidate.info.expected = {
        {suite, source.id(kExpected), Status::wrong, "known since May", "suites/nightly.yaml:9"}};
    comparison = compare(baseline, candidate, default_rule("cuda"));
    LedgerEntry entry;
    entry.case_id = source.id(kSlower);
    entry.author = "Ada";
    entry.reason = "bounds <are> checked";
    LedgerEntry quarantine = entry;
    quarantine.kind = EntryKind::quarantined;
    quarantine.case_id = source.id(kBroken);
    apply_ledger(comparison, {entry, quarantine}, {"nvidia-h200", "2026-03-31"});
  }
  ReportInput input() const { return {&candidate, &baseline, &comparison}; }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++n;
  return n;
}

TEST(Books, StandApartOnThePageWithTheirReasonsAndNeedNoAction) {
  const Excused runs;
  const ReportInput input = runs.input();
  const std::string page = render_report(input);
  const ReportModel model = make_model(input);
  for (const char* part : {"2 · Failing as expected", "2 · Acknowledged changes", "Quarantined",
                           "acknowledged by Ada: bounds &lt;are&gt; checked",
                           "as suites/nightly.yaml:9 expects: known since May"})
    EXPECT_GE(count(page.substr(0, page.find("id=\"data-")), part), 1u) << part;
  for (const CaseView& view : model.cases) {
    if (view.id != runs.source.id(kSlower) && view.id != runs.source.id(kBroken)) continue;
    EXPECT_FALSE(view.label.needs_action) << view.id;
  }
}

TEST(Books, WithoutEntriesTakeNoRoom) {
  const SyntheticRun source{SyntheticShape{.cases = 12}};
  const auto before = source.make(1, [](std::size_t) { return 1.0; });
  const auto after = source.make(2, [](std::size_t) { return 1.0; });
  const Comparison comparison = compare(before, after, default_rule("cuda"));
  const ReportInput input{&after, &before, &comparison};
  EXPECT_EQ(count(render_report(input), "id=\"ledger-effects\""), 0u);
}

TEST(Books, OfARunAloneAreItsExpectedFailures) {
  const Excused runs;
  const ReportInput input{&runs.candidate};
  const ReportModel model = make_model(input);
  std::size_t expected = 0;
  for (const CaseView& view : model.cases) {
    if (view.id != runs.source.id(kExpected)) continue;
    ++expected;
    EXPECT_EQ(view.label.word, "expected");
    EXPECT_FALSE(view.label.needs_action);
    EXPECT_NE(view.reason.find("known since May"), view.reason.npos) << view.reason;
  }
  EXPECT_EQ(expected, 1u);
}

TEST(Books, CountTheSameOnThePageInMarkdownJUnitSarifAndJson) {
  const Excused runs;
  const Census census = census_of(runs.comparison);
  EXPECT_EQ(census.cases(), 80u);
  EXPECT_EQ(census.of(Verdict::slower), 1u);
  EXPECT_EQ(census.of(Verdict::broken), 0u);
  EXPECT_EQ(census.of(Verdict::expected), 1u);
  EXPECT_EQ(census.of(EntryKind::acknowledged), 1u);
  EXPECT_EQ(census.of(EntryKind::quarantined), 1u);

  EXPECT_EQ(count(markdown_text(runs.comparison), "\n" + census_text(census, " · ") + "\n"), 1u);

  const std::string page = render_report(runs.input());
  std::string nav = page.substr(page.find("<nav class=\"counts\""));
  nav.resize(nav.find("</nav>"));
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    const std::string shown =
        "</span> " + std::to_string(census.of(verdict)) + " " + std::string(label_of(verdict).word);
    EXPECT_EQ(count(nav, shown + "</a>"), census.of(verdict) > 0 ? 1u : 0u) << shown << nav;
  }
  for (const EntryKind kind : {EntryKind::acknowledged, EntryKind::quarantined})
    EXPECT_EQ(count(nav, "</span> 1 " + std::string(name_of(kind)) + "</a>"), 1u) << nav;

  const std::string junit = junit_text(runs.comparison);
  std::size_t failures = 0, skipped = 0, suppressed = 0;
  for (const Finding& f : runs.comparison.findings) {
    const bool fails = f.verdict == Verdict::slower || f.verdict == Verdict::broken ||
                       f.verdict == Verdict::missing;
    failures += fails && f.entry == 0;
    skipped += f.verdict == Verdict::expected || f.verdict == Verdict::not_judged ||
               excuse_of(runs.comparison, f) == EntryKind::quarantined;
    suppressed += f.entry > 0 && f.verdict != Verdict::same && f.verdict != Verdict::unresolved;
  }
  EXPECT_EQ(count(junit, "<testcase "), runs.comparison.findings.size());
  EXPECT_EQ(count(junit, "<failure "), failures);
  EXPECT_EQ(count(junit, "<skipped "), skipped);
  EXPECT_EQ(count(sarif_text(runs.comparison), "\"suppressions\""), suppressed);

  const TemporaryFolder folder;
  write_comparison(runs.comparison, folder / "comparison.json");
  const Comparison read = read_comparison(folder / "comparison.json");
  EXPECT_EQ(census_text(census_of(read)), census_text(census));
  const auto json = nlohmann::json::parse(read_text(folder / "comparison.json"));
  EXPECT_EQ(json["census"]["SLOWER"], 1);
  EXPECT_EQ(json["census"]["acknowledged"], 1);
  EXPECT_EQ(json["ledger"].size(), 2u);
}

TEST(Books, AnExcusedCaseIsANoticeAndNoErrorForGitHub) {
  const Excused runs;
  const std::string text = annotations_text(runs.comparison);
  EXPECT_EQ(count(text, "::error "), 1u) << text;
  EXPECT_EQ(count(text, "::notice "), 2u) << text;
  EXPECT_EQ(count(text, "BROKEN%2C quarantined"), 1u) << text;
}

TEST(Renames, ThePageTakesTheBaselineOfTheOldIdAndSaysWhichItWas) {
  const SyntheticRun source{SyntheticShape{.cases = 12}};
  auto before = source.make(1, [](std::size_t) { return 1.0; });
  const auto after = source.make(2, [](std::size_t) { return 1.0; });
  const std::string today = source.id(3), old_id = "old/" + today;
  for (ResultRow& row : before.rows)
    if (row.case_id == today) row.case_id = old_id;
  CompareOptions options;
  options.renames[{after.rows[0].suite, old_id}] = today;
  const Comparison comparison = compare(before, after, default_rule("cuda"), options);
  const ReportInput input{&after, &before, &comparison};
  const ReportModel model = make_model(input);
  std::size_t seen = 0;
  for (const CaseView& view : model.cases) {
    if (view.id != today) continue;
    ++seen;
    EXPECT_FALSE(view.baseline.visits.empty()) << view.metric;
    EXPECT_TRUE(std::ranges::any_of(facts_of(view), [&](const Fact& fact) {
      return fact.label == "renamed from" && fact.text == old_id;
    }));
  }
  EXPECT_EQ(seen, 2u);
  EXPECT_EQ(comparison.count(Verdict::missing) + comparison.count(Verdict::added), 0u);
}

}  // namespace
}  // namespace plumbline
