#include "reports/report.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "analysis/compare/compare.h"
#include "core/error.h"
#include "measure/flags.h"
#include "reports/assets.h"
#include "reports/cells.h"
#include "reports/model.h"
#include "reports/sections/detail/facts.h"
#include "reports/sections/detail/samples.h"
#include "reports/sections/doubts/groups.h"
#include "reports/sections/findings/cards.h"
#include "store/run/evidence.h"
#include "store/run/history.h"
#include "unit/reports/nights.h"
#include "unit/reports/synthetic.h"

namespace plumbline {
namespace {

constexpr std::size_t kSlower = 7, kFaster = 33, kBroken = 51, kMissing = 70, kNew = 71;

double planted(std::size_t i) { return i == kSlower ? 1.06 : i == kFaster ? 0.91 : 1.0; }

/// A candidate with one case of each kind, and what it is compared with.
struct Planted {
  SyntheticRun source{SyntheticShape{.cases = 80}};
  Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  Run candidate = source.make(2, planted);
  Comparison comparison;

  Planted() {
    fail_case(candidate, source.id(kBroken), Status::crashed, "worker died by signal 11 (SIGSEGV)");
    std::erase_if(candidate.rows,
                  [&](const ResultRow& row) { return row.case_id == source.id(kMissing); });
    std::erase_if(baseline.rows,
                  [&](const ResultRow& row) { return row.case_id == source.id(kNew); });
    comparison = compare(baseline, candidate, default_rule("cuda"));
    explain(comparison, baseline, candidate);
  }
  ReportInput input() const { return {&candidate, &baseline, &comparison}; }
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++count;
  return count;
}

void write_page(const std::string& name, const ReportInput& input, const std::string& expect) {
  const std::filesystem::path folder = std::filesystem::path(PLUMBLINE_BINARY_DIR) / "tests/pages";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / (name + ".html")) << render_report(input);
  std::ofstream(folder / (name + ".json")) << expect;
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
  EXPECT_EQ(cards.cards[1].strip.title,
            "24 of the candidate’s 24 blocks lie above the median of the baseline’s");
}

/// The bfloat16 cases of softmax are slower, and run with more registers.
struct SlowerRegion {
  SyntheticRun source{SyntheticShape{.cases = 120}};
  Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  Run candidate = source.make(2, [](std::size_t i) { return is_slower(i) ? 1.08 : 1.0; });
  Comparison comparison;

  static bool is_slower(std::size_t i) { return i % 6 == 0 && i / 6 % 3 == 2; }  // bfloat16
  SlowerRegion() {
    for (ResultRow& row : candidate.rows)
      if (is_slower(std::size_t(row.order)))
        row.kernels = kernels_json(128, "softmax_kernel<float, 256>");
    comparison = compare(baseline, candidate, default_rule("cuda"));
    explain(comparison, baseline, candidate);
  }
  ReportInput input() const { return {&candidate, &baseline, &comparison}; }
};

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
  EXPECT_TRUE(holds(page, "<h1>1 of 80 cases is broken, 1 is slower"));
  EXPECT_LT(page.find("is broken, 1 is slower"), page.find("What needs action"));
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

TEST(Report, CasesWithoutAVerdictAreGroupedAndEmptyGroupsAreSaid) {
  const Planted planted_runs;
  const ReportInput input = planted_runs.input();
  std::size_t missing = 0, added = 0, fixed = 99, unstable = 0;
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
  EXPECT_TRUE(holds(page, "Fixed: none."));
  EXPECT_TRUE(holds(page, "</span> 14 metrics of 7 cases · <bdi>" + std::string(kFlagBimodal)));
}

TEST(Report, EverySectionIsALineWhereItIsEmpty) {
  SyntheticRun source{SyntheticShape{.cases = 4}};  // none of them is bimodal
  const plumbline::Run before = source.make(1, [](std::size_t) { return 1.0; });
  plumbline::Run after = source.make(2, [](std::size_t) { return 1.0; });
  const Comparison comparison = compare(before, after, default_rule("cuda"));
  const std::string page = render_report({&after, &before, &comparison});
  for (const char* line :
       {"Slower or broken: none.", "Faster: none.",
        "Looked changed, not confirmed: none; nothing was measured a second time.",
        "Acknowledged changes: none.", "Quarantined: none.", "Unstable: none.", "Missing: none.",
        "New: none.", "Renamed: none.", "Fixed: none."})
    EXPECT_TRUE(holds(page, line)) << line;
  const std::string alone = render_report({&after});
  EXPECT_TRUE(holds(alone, "Unstable: none."));
  EXPECT_TRUE(holds(alone, "not known of a run that is compared with none."));
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
  EXPECT_FALSE(holds(page, "Renamed: none."));
  EXPECT_TRUE(holds(page, "renamed from " + source.id(3)));
}

TEST(Report, AParameterThatSomeIdsLeaveOutHasItsDefaultOnThePage) {
  SyntheticRun source{SyntheticShape{.cases = 2, .metrics = {"gpu_time_cold"}}};
  plumbline::Run run = source.make(1, [](std::size_t) { return 1.0; });
  for (ResultRow& row : run.rows) {
    row.op = "gemm";
    row.case_id = row.order == 0 ? "gemm/libtorch/m=8/stream.count=4" : "gemm/libtorch/m=8";
  }
  ReportInput input{&run};
  input.defaults["gemm"] = {{"stream.count", std::int64_t(1)}, {"unused", true}};
  const std::string page = render_report(input);
  EXPECT_TRUE(holds(page, R"("defaults":{"gemm":{"m":"","stream.count":"1"}})"));
  write_page("defaults", input, R"({"rows": 2, "query": "stream.count:1,2", "query_rows": 1})");
}

/// For tests/browser/choices_test.py: axes as other programs may name them.
TEST(Report, APageForTheBrowserHasAxesNamedWithColonsBlanksAndQuotes) {
  SyntheticRun source{SyntheticShape{.cases = 3, .metrics = {"gpu_time_cold"}}};
  plumbline::Run run = source.make(1, [](std::size_t) { return 1.0; });
  constexpr std::array kIds{"mine/theirs/Tile%20Size%3A x=1 2/of%22it=a:b",
                            "mine/theirs/Tile%20Size%3A x=1 2/of%22it=c", "mine/theirs/-a=b"};
  for (ResultRow& row : run.rows) {
    row.op = "mine";
    row.case_id = kIds[std::size_t(row.order)];
  }
  write_page("named", ReportInput{&run}, R"({"rows": 3, "query": "\"-a\":b", "query_rows": 1})");
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
  EXPECT_TRUE(holds(page, "default-src 'none'; script-src '" + std::string(page_js_hash()) + "'"));
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
  EXPECT_TRUE(holds(page, "{{sections}}"));  // the name, not a place that was filled
}

TEST(Report, ReducedSamplesFitTheRoomAndActionCasesKeepTheirs) {
  const Planted planted_runs;
  const ReportInput input = planted_runs.input();
  const ReportModel model = make_model(input);
  EXPECT_EQ(detail_for_room(model, 10'000'000), SampleDetail::all);
  const SampleDetail small = detail_for_room(model, 60'000);
  EXPECT_EQ(small, SampleDetail::block_quantiles);
  EXPECT_EQ(detail_for_room(model, 0), SampleDetail::round_quantiles);
  for (const CaseView& view : model.cases) {
    const EncodedSamples encoded = encode_samples(view, detail_of(view, small));
    if (view.id != planted_runs.source.id(kSlower)) continue;
    EXPECT_EQ(encoded.values.size(), 480U * 3);
  }
}

/// Reads the first value of a row as samples.js does.
double first_value(const EncodedSamples& encoded, int letters) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  double number = 0;
  for (int i = 0; i < letters; ++i)
    number = number * 64 + double(alphabet.find(encoded.values[std::size_t(i)]));
  const double share = number / (std::pow(64.0, letters) - 1);
  return encoded.low * std::pow(encoded.high / encoded.low, share);
}

TEST(Report, EncodedSamplesReadBackAndKnowTheirBlocks) {
  const Planted planted_runs;
  const ReportInput input = planted_runs.input();
  const ReportModel model = make_model(input);
  const CaseView& view = model.cases.back();
  const double sample = view.baseline.visits.front()->samples.values()[0];
  const EncodedSamples all = encode_samples(view, SampleDetail::all);
  EXPECT_EQ(all.baseline_shape, "0:8x10|1:8x10|2:8x10");
  EXPECT_EQ(all.values.size(), 480U * 3);
  EXPECT_NEAR(first_value(all, 3) / sample, 1, 1e-6);
  EXPECT_EQ(encode_samples(view, SampleDetail::block_quantiles).values.size(), 48U * 3 * 2);
  EXPECT_EQ(encode_samples(view, SampleDetail::block_medians).values.size(), 48U * 2);
  const EncodedSamples rounds = encode_samples(view, SampleDetail::round_quantiles);
  EXPECT_EQ(rounds.baseline_shape, "0:1x80|1:1x80|2:1x80");
  EXPECT_EQ(rounds.values.size(), 6U * 3 * 2);
}

TEST(Report, UnevenBlocksKeepTheirSizes) {
  ResultRow row;
  row.case_id = "add/libtorch";
  row.metric = "wall_time";
  row.unit = "s";
  for (const std::vector<double>& block :
       {std::vector<double>{1, 2}, std::vector<double>{3, 4}, std::vector<double>{5, 6, 7}})
    row.samples.add_block(block);
  plumbline::Run run;
  run.rows = {row};
  const ReportInput input{&run};
  const ReportModel model = make_model(input);
  EXPECT_EQ(encode_samples(model.cases[0], SampleDetail::all).candidate_shape, "0:2x2+1x3");
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

/// Pages for tests/browser/report_test.py, with the facts planted in them.
TEST(Report, PagesForTheBrowserHoldTheirSizeAtTenThousandCases) {
  const Planted some;
  const std::string slower = some.source.id(kSlower);
  write_page("compared", some.input(),
             R"({"headline": "1 of 80 cases is broken, 1 is slower", "rows": )" +
                 std::to_string(some.comparison.findings.size()) +
                 R"(, "cards": 2, "query": "slower", "query_rows": 2, "open": ")" + slower +
                 R"("})");
  const plumbline::Run kept = reduced(some.baseline);
  Comparison with_kept = compare(kept, some.candidate, default_rule("cuda"));
  explain(with_kept, kept, some.candidate);
  write_page("reduced", {&some.candidate, &kept, &with_kept}, R"({"open": ")" + slower + R"("})");
  const SlowerRegion region;
  write_page("causes", region.input(),
             R"({"cards": )" + std::to_string(make_cards(make_model(region.input()), 40).total) +
                 R"(, "texts": ["with dtype=bfloat16", "registers of a thread"]})");
  plumbline::Run alone = some.candidate;
  alone.info.environment.device_uuids = {"GPU-0a1b2c3d-0000-0000-0000-000000000000"};
  const History of_devices = history_on_two_devices(alone);
  ReportInput of_alone{&alone};
  of_alone.history = &of_devices;
  write_page("alone", of_alone,
             R"({"headline": "78 of 79 cases were measured", "cards": 1, "open": ")" + slower +
                 R"(", "details": ["6 runs on 2 devices since 2026-04-01; their level is",
"by run, not by time"], "devices": ["GPU-4e5f6071", "GPU-0a1b2c3d"],
"never": ["candidate"]})");

  SyntheticRun rich({.cases = 20});
  plumbline::Run rich_before = rich.make(1, [](std::size_t) { return 1.0; });
  plumbline::Run rich_after = rich.make(2, [](std::size_t) { return 1.0; });
  record_more(rich_before, rich.id(kSlower), 96);
  record_more(rich_after, rich.id(kSlower), 128);
  Comparison of_rich = compare(rich_before, rich_after, default_rule("cuda"));
  explain(of_rich, rich_before, rich_after);
  const History of_two = make_history({summary_of(rich_before), summary_of(rich_after)});
  write_page("recorded", {&rich_after, &rich_before, &of_rich, &of_two},
             R"j({"rows": 40, "open": ")j" + rich.id(kSlower) +
                 R"j(", "metric": "gpu_time_cold", "kernels": 2,
"details": ["kernel_span_cold", "shown", "96 → 128", "≠ changed", "memcpy HtoD, 4.10 kB",
            "1 of 8 blocks set aside (thermal)", "kernel_time_cold: CUPTI lost records",
            "cupti_span", "of the calibrated peak", "2 runs since 2026-05-02; their level is",
            "How its samples are distributed", "the lowest decile by",
            "The device meanwhile: SM clock 1980 MHz, temperature 41 to 43 °C",
            "of what the calibrated bandwidth allows at"],
"drawn": 5,
"folded": {"calibration": "4.20 TB/s ± 1 %", "drift": "+1.20 % at most"},
"metrics": ["gpu_time_cold", "gpu_time_hot", "kernel_span_cold"]})j");

  SyntheticRun hostile({.cases = 40, .hostile = true});
  const plumbline::Run before = hostile.make(1, [](std::size_t) { return 1.0; });
  plumbline::Run after =
      hostile.make(2, [](std::size_t i) { return i >= 1 && i <= 8 ? 1.2 : 1.0; });
  after.warnings = hostile_names();
  Comparison of_hostile = compare(before, after, default_rule("cuda"));
  explain(of_hostile, before, after);
  ReportInput input{&after, &before, &of_hostile};
  input.title = input.commit_subject = hostile_names()[0];
  write_page("hostile", input, R"({"cards": 8, "texts": ["</script><script>alert(1)</script>"]})");

  SyntheticRun large({.cases = 10'000});
  const plumbline::Run first = large.make(1, [](std::size_t) { return 1.0; });
  const plumbline::Run second =
      large.make(2, [](std::size_t i) { return i % 1000 == 7 ? 1.06 : 1.0; });
  Comparison of_large = compare(first, second, default_rule("cuda"));
  explain(of_large, first, second);
  write_page("large", {&second, &first, &of_large}, R"({"rows": 20000, "open_seconds": 2})");
  const auto size = std::filesystem::file_size(std::filesystem::path(PLUMBLINE_BINARY_DIR) /
                                               "tests/pages/large.html");
  EXPECT_LE(size, 10'000'000U);
}

}  // namespace
}  // namespace plumbline
