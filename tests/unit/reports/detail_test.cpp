// What the page shows for a case besides verdicts, and for the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analysis/compare/compare.h"
#include "reports/cells.h"
#include "reports/model.h"
#include "reports/report.h"
#include "reports/sections/detail/beside.h"
#include "reports/sections/detail/facts.h"
#include "reports/sections/detail/samples.h"
#include "reports/sections/environment/device.h"
#include "reports/strip.h"
#include "unit/reports/synthetic.h"

namespace plumbline {
namespace {

constexpr std::size_t kRich = 7;  // the case of which more is recorded

struct Rich {
  SyntheticRun source{SyntheticShape{.cases = 20}};
  std::string id = source.id(kRich);
  Run baseline = source.make(1, [](std::size_t) { return 1.0; });
  Run candidate = source.make(2, [](std::size_t) { return 1.0; });
  Comparison comparison;

  Rich() {
    record_more(baseline, id, 96);
    record_more(candidate, id, 128);
    comparison = compare(baseline, candidate, default_rule("cuda"));
  }
  ReportInput input() const { return {&candidate, &baseline, &comparison}; }
};

const CaseView& view_of(const ReportModel& model, const std::string& id,
                        const std::string& metric) {
  const auto found = std::ranges::find_if(
      model.cases, [&](const CaseView& view) { return view.id == id && view.metric == metric; });
  return found == model.cases.end() ? model.cases.front() : *found;
}

std::string fact_of(const CaseView& view, std::string_view label) {
  for (const Fact& fact : facts_of(view))
    if (fact.label == label) return fact.text;
  return "";
}

TEST(Detail, TellsWhatWasSetAsideWhatIsAbsentAndWhatOtherTimersRead) {
  const Rich rich;
  const ReportInput input = rich.input();
  const ReportModel model = make_model(input);
  const CaseView& view = view_of(model, rich.id, "gpu_time_cold");
  EXPECT_EQ(fact_of(view, "not measured"), "kernel_time_cold: CUPTI lost records");
  EXPECT_EQ(fact_of(view, "not measured in the baseline"), "kernel_time_cold: CUPTI lost records");
  EXPECT_EQ(fact_of(view, "set aside, not in the picture"),
            "baseline round 1: 1 of 8 blocks set aside (thermal); candidate round 1: 1 of 8 blocks "
            "set aside (thermal)");
  const std::string timers = fact_of(view, "other timers of these launches");
  EXPECT_TRUE(timers.starts_with("cupti_span ")) << timers;
  EXPECT_NE(timers.find("(\u2212"), std::string::npos) << timers;  // about half of its own time
  const CaseView& hot = view_of(model, rich.id, "gpu_time_hot");
  EXPECT_EQ(fact_of(hot, "not measured"), "kernel_time_cold: CUPTI lost records");
  EXPECT_EQ(fact_of(hot, "set aside, not in the picture"), "");
  EXPECT_EQ(fact_of(view_of(model, rich.source.id(3), "gpu_time_cold"), "not measured"), "");
}

TEST(Detail, ThePictureLeavesOutWhatWasSetAside) {
  const Rich rich;
  const ReportInput input = rich.input();
  const ReportModel model = make_model(input);
  const CaseView& view = view_of(model, rich.id, "gpu_time_cold");
  EXPECT_EQ(encode_samples(view, SampleDetail::all).candidate_shape, "0:8x10|1:7x10|2:8x10");
  EXPECT_EQ(encode_samples(view, SampleDetail::round_quantiles).candidate_shape,
            "0:1x80|1:1x70|2:1x80");
  EXPECT_EQ(cells_of(view).rounds, "3 × 7–8");
  const auto title = strip_of(model, view)["title"].get<std::string>();
  EXPECT_NE(title.find("candidate’s 23 blocks"), std::string::npos);
}

TEST(Detail, MetricsThatAreOnlyShownAreBesideTheCaseAndNoRows) {
  const Rich rich;
  for (const bool is_compared : {true, false}) {
    const ReportInput input = is_compared ? rich.input() : ReportInput{&rich.candidate};
    const ReportModel model = make_model(input);
    EXPECT_EQ(model.cases.size(), 40U);
    ASSERT_EQ(model.shown.size(), 1U);
    const auto& [name, metrics] = *model.shown.begin();
    EXPECT_EQ(name.second, rich.id);
    const std::vector<ShownLine> lines = shown_lines(metrics);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].metric, "kernel_span_cold");
    EXPECT_EQ(lines[0].change.empty(), !is_compared);
    EXPECT_EQ(lines[0].before == "–", !is_compared);
    EXPECT_NE(lines[0].after, "–");
  }
}

TEST(Detail, ACaseWithNothingButShownMetricsKeepsARow) {
  Rich rich;
  std::erase_if(rich.candidate.rows, [&](const ResultRow& row) {
    return row.case_id == rich.id && row.metric.starts_with("gpu_time");
  });
  const ReportInput input{&rich.candidate};
  EXPECT_EQ(view_of(make_model(input), rich.id, "kernel_span_cold").metric, "kernel_span_cold");
}

TEST(Detail, KernelsAreSetSideBySideWithTheirChangesMarked) {
  const auto lines = kernel_lines(kernels_json(96), kernels_json(128));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].mark, "≠ changed");
  EXPECT_EQ(lines[0].name, "main_kernel<float, 256>");
  EXPECT_EQ(lines[0].grid, "64×2×1");
  EXPECT_EQ(lines[0].registers, "96 → 128");
  EXPECT_EQ(lines[0].shared, "1\u2009024 + 65\u2009536");
  EXPECT_EQ(lines[0].occupancy, "25\u00A0%");
  EXPECT_EQ(lines[0].calls, "2");
  EXPECT_EQ(lines[0].time, "15.0\u00A0µs");
  EXPECT_EQ(lines[1].mark, "");
  EXPECT_EQ(lines[1].name, "memcpy HtoD, 4.10\u00A0kB");
  EXPECT_EQ(lines[1].grid, "–");
  const auto other = kernel_lines(kernels_json(96, "old"), kernels_json(96, "new"));
  ASSERT_EQ(other.size(), 3U);
  EXPECT_EQ(other[0].name + other[0].mark, "new+ new");
  EXPECT_EQ(other[2].name + other[2].mark, "old− gone");
}

TEST(Detail, OtherMachineCodeIsAChangeAndUnknownCodeIsNone) {
  const auto with_code = [](const std::string& code) {
    return R"([{"name": "add", "registers": 8, "local": 0, "code": ")" + code + R"("}])";
  };
  const std::string old_file = R"([{"name": "add", "registers": 8}])";
  const auto changed = kernel_lines(with_code("0123456789abcdef"), with_code("fedcba9876543210"));
  EXPECT_EQ(changed.at(0).code, "01234567 → fedcba98");
  EXPECT_EQ(changed[0].mark, "≠ changed");
  const auto same = kernel_lines(with_code("0123456789abcdef"), with_code("0123456789abcdef"));
  EXPECT_EQ(same.at(0).code + same[0].mark, "01234567");
  const auto unknown = kernel_lines(old_file, with_code("0123456789abcdef"));
  EXPECT_EQ(unknown.at(0).code + unknown[0].mark, "01234567");
  EXPECT_EQ(unknown[0].registers, "8");
  const std::string spilling = R"([{"name": "add", "registers": 8, "local": 24}])";
  EXPECT_EQ(kernel_lines(old_file, spilling).at(0).registers, "8") << "unknown is no change";
  EXPECT_EQ(kernel_lines(with_code("0123456789abcdef"), spilling).at(0).registers, "8 → 8 + 24 B");
}

TEST(Detail, KernelsOfOneSideAloneAreNotMarked) {
  for (const bool is_baseline : {true, false}) {
    const auto lines =
        is_baseline ? kernel_lines(kernels_json(96), "") : kernel_lines("", kernels_json(96));
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].mark, "");
  }
  EXPECT_TRUE(kernel_lines("", "").empty());
}

TEST(Detail, SharesOfTheCalibratedPeakAreInTheTableAndInTheFacts) {
  const Rich rich;
  const ReportInput input = rich.input();
  const ReportModel model = make_model(input);
  EXPECT_TRUE(model.is_calibrated);
  const CaseView& view = view_of(model, rich.id, "gpu_time_cold");
  // The synthetic bytes correspond to 2.1 TB/s; the calibrated copy reaches 4.2.
  EXPECT_NEAR(view.achieved.bytes_share, 0.5, 0.01);
  EXPECT_EQ(cells_of(view).peak, "50\u00A0%");
  EXPECT_NE(fact_of(view, "bandwidth").find("50\u00A0% of the calibrated peak"), std::string::npos);
  const plumbline::Run plain = rich.source.make(2, [](std::size_t) { return 1.0; });
  const ReportInput without{&plain};
  EXPECT_FALSE(make_model(without).is_calibrated);
  EXPECT_EQ(render_report(without).find("of peak</th>"), std::string::npos);
}

TEST(Detail, ARateThatTheDeviceCannotReachIsAFlagOfTheCase) {
  Rich rich;
  for (ResultRow& row : rich.candidate.rows) row.bytes *= 1000;
  const ReportInput input{&rich.candidate};
  const ReportModel model = make_model(input);
  const auto& flags = view_of(model, rich.id, "gpu_time_cold").flags;
  EXPECT_NE(std::ranges::find(flags, "bandwidth above peak"), flags.end());
}

TEST(Device, CalibrationHasItsUncertaintiesAndWorkersTheirDrift) {
  const Rich rich;
  const std::string page = render_report(rich.input());
  const std::size_t start = page.find("<details id=\"calibration\"");
  const std::string html = page.substr(start, page.find("</section>", start) - start);
  const auto holds = [&](const std::string& text) { return html.find(text) != std::string::npos; };
  EXPECT_TRUE(holds("copy_bytes_per_s</th><td class=\"num\">4.20\u00A0TB/s ± 1\u00A0%</td>"))
      << html;
  EXPECT_TRUE(holds("event_floor_s</th><td class=\"num\">3.30\u00A0µs</td>")) << html;
  EXPECT_FALSE(holds("uncertainty")) << html;
  EXPECT_TRUE(holds("+1.20\u00A0% at most")) << html;
  EXPECT_TRUE(holds("<td class=\"mono\">spin_s</td><td class=\"num\">100\u00A0µs</td>")) << html;
  EXPECT_TRUE(calibration_data(RunInfo{}, nullptr).is_null());
  EXPECT_TRUE(drift_data(RunInfo{}).is_null());
}

}  // namespace
}  // namespace plumbline
