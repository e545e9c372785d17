/// Pages on which every part of every template has something to show.
#include <gtest/gtest.h>

#include <string>

#include "reports/site/site.h"
#include "unit/reports/nights.h"
#include "unit/reports/planted.h"

namespace plumbline {
namespace {

constexpr std::size_t kCases = 400, kUnjudged = 100;

/// Slower and faster regions, failures, doubts and notes of every kind, more of each than a page
/// lists.
struct Everything {
  SyntheticRun source{SyntheticShape{.cases = kCases, .blocks = 4, .samples = 4}};
  Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  Run candidate = source.make(2, [](std::size_t i) {
    return i % 6 == 0 && i / 6 % 3 == 2   ? 1.08
           : i % 6 == 1 && i / 6 % 3 == 1 ? 0.9
           : i == 9                       ? 0.8
                                          : 1.0;
  });
  Comparison comparison;
  History history;

  Everything() {
    record_more(baseline, source.id(7), 96);
    record_more(candidate, source.id(7), 128);
    for (std::size_t i = 200; i < 250; ++i)
      fail_case(candidate, source.id(i), Status::crashed, "signal " + std::to_string(i));
    std::erase_if(candidate.rows, [&](const ResultRow& row) {
      return row.order >= 260 && row.order < 264;  // MISSING
    });
    candidate.warnings = {"the clock was <not> locked"};
    baseline.warnings = {"the fan was loud"};
    candidate.info.finished_at = "";
    candidate.info.environment.dirty = "true";
    // One state of the machine: with another driver too many verdicts would be open.
    candidate.info.environment.driver = baseline.info.environment.driver;
    baseline.info.acceptance = Acceptance{"ci", "first night", "2026-05-02T09:00:00Z", "9f3c"};
    history = history_on_two_devices(candidate);
    for (PastRun& run : history.runs)
      if (run.path.ends_with("2")) run.device_uuid = "";
    compare_all();
  }

  void compare_all() {
    comparison = compare(baseline, candidate, default_rule("cuda"));
    explain(comparison, baseline, candidate);
    std::size_t n = 0;
    for (Finding& finding : comparison.findings) {
      if (finding.verdict == Verdict::broken || finding.case_id == source.id(9)) finding.cause = 0;
      if (finding.verdict == Verdict::slower) finding.pairs = 12;
      if (finding.verdict != Verdict::same) continue;
      finding.blind = BlindSpot{.detectable = 0.071, .run_sd = 0.03, .cure = "9 rounds"};
      ++n;
      if (n % 4 == 0)
        finding.screened = 0.04, (n % 8 == 0 ? finding.pairs : finding.rerun_visits) = 12;
      if (n % 4 != 1 || n / 4 >= kUnjudged) continue;
      finding.verdict = Verdict::not_judged;
      finding.reason = "reason " + std::to_string(n);
    }
    for (Cause& cause : comparison.causes)
      if (cause.verdict == Verdict::slower) {
        cause.trait = SharedTrait{"kernel", "softmax<float>", 7, 9};
        cause.parts.push_back({"gemm", "cudnn", {{"k", {"a", "", "b"}, true, {}, {}}}, 2, 3, 1});
        cause.cost = 3e-5, cause.unit = "s";
        cause.changes.front().cases = 1;
        break;
      }
    comparison.notes = {"variance moderated: a single baseline run"};
    comparison.null_check = NullCheck{"gpu_time_cold", 4, 3, 5, 400, {2, 1}};
    comparison.self_check = pooled({"so", {0, 1, 40}, {{0.05, 39, 40}}, {}, {}}, {});
    comparison.distribution_changes.resize(1);
    comparison.distribution_changes[0].case_id = "gemm/<b>";
    comparison.rule.run_sd = 0.004;
  }

  ReportInput input() const {
    ReportInput made{&candidate, &baseline, &comparison, &history};
    made.project = "Some <Project>";
    made.commit_subject = "Do & die";
    made.commit_author = "Ada";
    made.commit_time = "2026-05-03";
    return made;
  }
};

TEST(WholePage, SaysEverythingThatAComparisonHolds) {
  const Everything all;
  const std::string page = render_report(all.input());
  for (const char* part : {"<b>Some &lt;Project&gt;</b>",
                           "with changes not committed",
                           "<bdi>“Do &amp; die”</bdi>, Ada, <time datetime=\"2026-05-03\">",
                           "This run has not finished",
                           "the clock was &lt;not&gt; locked",
                           "Baseline: the fan was loud",
                           "variance moderated",
                           "with errors widened 2.00 times to fit this run (λ = 4.00",
                           "Tail: gemm/&lt;b&gt;",
                           "<p class=\"where\">7 of the 9 cases that run it</p>",
                           "kernel softmax&lt;float&gt; in 2 ops",
                           "<b>gemm</b> cudnn: 2 of 3 cases with k other than a, b or its default",
                           "more causes in the table of all cases",
                           "<h2>Faster</h2>",
                           "<details class=\"gain\">",
                           "more in the table of all cases",
                           "Looked changed, not confirmed</h2>",
                           "12 pairs",
                           "12 visits",
                           "more, each for a reason of its own",
                           "cases are too noisy to see",
                           "more in comparison.json",
                           "Baseline accepted by ci at 2026-05-02T09:00:00Z: first night",
                           "(standard deviation)",
                           "False alarms are counted among controls",
                           "<ul class=\"device-key small\">",
                           "of the calibrated peak",
                           "</svg>device not recorded</li>",
                           "<span class=\"quiet\">confirmed in 12 pairs</span>",
                           "plumbline accept runs/2026-05-03"})
    EXPECT_TRUE(holds(page, part)) << part;
}

TEST(WholePage, SaysNothingWhereNothingOfTheEnvironmentDiffers) {
  Everything all;
  all.comparison.environment_changes.clear();
  EXPECT_FALSE(holds(render_report(all.input()), "id=\"differences\""));
}

TEST(WholePage, OfARunAloneAndOfNothing) {
  Everything all;
  ReportInput alone{&all.candidate};
  const std::string page = render_report(alone);
  EXPECT_TRUE(holds(page, "There is no baseline to compare with"));
  EXPECT_TRUE(holds(page, "<th class=\"num\">value</th><th class=\"num\"><button "));
  all.candidate.info.finished_at = "2026-05-03T02:21:40Z";
  EXPECT_TRUE(holds(render_report(alone), "took 21 min 40 s"));
  const plumbline::Run nothing;
  EXPECT_TRUE(holds(render_report({&nothing}), "0 of 0 cases were measured"));
}

SiteRun site_run(int day, const std::string& device, std::map<std::string, std::string> counts) {
  SiteRun run;
  run.started_at = "2026-10-" + std::to_string(day) + "T02:00:00Z";
  run.commit = day % 2 == 0 ? "c0ffee1234567890" : "";
  run.subject = day % 2 == 0 ? "Do <it>" : "";
  run.author = "Ada & Co";
  run.device_class = device;
  run.suites = {"quick", "nightly"};
  run.counts = std::move(counts);
  return run;
}

TEST(WholePage, OfASiteListsAndCase) {
  const std::vector<SiteRun> runs{site_run(10, "H100", {{"SLOWER", "3"}}),
                                  site_run(11, "H200", {{"quarantined", "1"}}),
                                  site_run(12, "A100", {})};
  const std::vector<KeyedRun> keyed{{"a", &runs[0]}, {"b", &runs[1]}, {"c", &runs[2]}};
  std::vector<CaseLine> lines;
  for (int i = 0; i < 30; ++i) {
    lines.push_back({"quick",
                     "relu/libtorch/n=" + std::to_string(i),
                     "gpu_time_cold",
                     "H100",
                     "1 s",
                     i % 3 == 0   ? "SLOWER"
                     : i % 3 == 1 ? "odd"
                                  : "",
                     i % 5 == 0 ? "CRASHED" : "OK",
                     {{"a", i % 2 == 0 ? 0.08 : -0.05}},
                     12});
    if (i % 7 == 0) lines.back().steps.clear();
    lines.back().last_is_apart = i % 11 == 0;
  }
  const std::string index = render_index(keyed, lines, "A <site>", {"a note & more"});
  for (const char* part :
       {"<b>A &lt;site&gt;</b> · 3 runs", "<li>a note &amp; more</li>", "not compared",
        "</span> quarantined</span> 1", ">12 cases<", ">13 cases<",
        "<bdi class=\"subject\">Do &lt;it&gt;</bdi>", "The last run of"})
    EXPECT_TRUE(holds(index, part)) << part << index;
  EXPECT_TRUE(holds(render_case_list(keyed, lines, "A <site>"), "last run apart"));

  std::vector<PastRun> past(4);
  Series series{"s", "relu/n=1", "gpu_time_cold", "s", "1", "H200", 0, {}};
  for (std::size_t i = 0; i < past.size(); ++i) {
    past[i].path = std::to_string(i);
    past[i].commit = i % 2 == 0 ? "c0ffee1234567890" : "";
    past[i].started_at = "2026-10-01";
    series.add({.run = std::uint32_t(i), .estimate = 1e-6}, {}, {0.9e-6, 1.1e-6, kUnknown});
  }
  SeriesReading apart;
  apart.last_is_apart = true;
  const std::vector<std::vector<std::string_view>> words{{"", "", "", "SLOWER"},
                                                         {"", "", "", "SAME"}};
  const SiteCase shown{"s",   "relu/n=1", &past, {series, series},      {apart, {}},
                       words, {},         {},    {{"1", "CRASHED", 1}}, "OK"};
  const std::string page = render_case_page(shown);
  EXPECT_TRUE(holds(page, "The last run lies apart"));
  EXPECT_TRUE(holds(page, "No change was found among 4 runs."));
  EXPECT_TRUE(holds(render_case_page({"s", "relu/n=1", &past, {}, {}, {}, {}, {}, {}, "OK"}),
                    "No run holds a time"));
}

}  // namespace
}  // namespace plumbline
