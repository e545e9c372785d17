#include <gtest/gtest.h>

#include <array>

#include "analysis/compare/compare.h"
#include "core/run/import_mapping.h"

namespace plumbline {
namespace {

/// Another program's results for one case: `visits` values of 1 ms × `factor`.
plumbline::Run imported(double factor, std::size_t visits,
                        const std::string& device = "NVIDIA H200") {
  Run run;
  run.info.measurement_revision = kForeignRevision;
  run.info.environment.device_class = device;  // nothing else is known
  run.info.finished_at = "2026-01-01T00:00:00Z";
  for (std::size_t visit = 0; visit < visits; ++visit) {
    ResultRow& row = run.rows.emplace_back();
    row.suite = "theirs";
    row.case_id = "gemm/vllm/m=1";
    row.op = "gemm";
    row.backend = "vllm";
    row.revision = "1";
    row.status = Status::unverified;
    row.metric = "their_time";
    row.unit = "s";
    row.round = static_cast<std::int64_t>(visit);
    row.samples.add_block(std::array{1e-3 * factor * (1 + 1e-4 * double(visit))});
  }
  return run;
}

TEST(ImportedRuns, OneValueIsNeverJudgedHoweverLargeTheChange) {
  const Comparison found = compare(imported(1, 1), imported(3, 1), default_rule(""));
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].verdict, Verdict::not_judged);
  EXPECT_EQ(found.findings[0].reason,
            "one value, no samples, in the baseline: what it varies by is not known");
  EXPECT_FALSE(found.findings[0].change_low);
  EXPECT_EQ(exit_code(found), 3);
}

TEST(ImportedRuns, VisitsOfTheirOwnProcessesAreJudged) {
  const Comparison found = compare(imported(1, 5), imported(3, 5), default_rule(""));
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].verdict, Verdict::slower) << found.findings[0].reason;
}

TEST(ImportedRuns, AreComparedNeitherAcrossDevicesNorWithOurOwn) {
  const auto reason = [](const plumbline::Run& baseline, const plumbline::Run& candidate) {
    return compare(baseline, candidate, default_rule("")).findings.at(0).reason;
  };
  EXPECT_EQ(reason(imported(1, 5), imported(1, 5, "NVIDIA B200")),
            "device class: the baseline has 'NVIDIA H200', this run 'NVIDIA B200'");
  plumbline::Run own = imported(1, 5);
  own.info.measurement_revision = kMeasurementRevision;
  EXPECT_NE(reason(own, imported(1, 5)), "");
  // For our own runs, the class alone is not enough.
  EXPECT_EQ(reason(own, own),
            "device kind: the baseline has unknown, this run unknown; run.json tells it as "
            "environment.device_kind");
}

TEST(ImportedRuns, OfWhichNobodySaysWhichWayAMetricIsBetterAreNotJudged) {
  plumbline::Run before = imported(1, 5), after = imported(3, 5);
  for (plumbline::Run* run : {&before, &after})
    for (ResultRow& row : run->rows) row.metric = "ops_per_s", row.unit = "1";
  const auto found = [&] { return compare(before, after, default_rule("")).findings.at(0); };
  EXPECT_EQ(found().verdict, Verdict::not_judged);
  EXPECT_NE(found().reason.find("whether more or less of 'ops_per_s' is better"),
            std::string::npos);
  before.info.better["ops_per_s"] = "more";
  EXPECT_EQ(found().verdict, Verdict::faster) << found().reason;
  after.info.better["ops_per_s"] = "less";
  EXPECT_EQ(found().reason, "the baseline says that more of it is better, this run that less is");
  before.info.better["ops_per_s"] = "less";
  EXPECT_EQ(found().verdict, Verdict::slower) << found().reason;
}

}  // namespace
}  // namespace plumbline
