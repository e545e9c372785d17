#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "import/import.h"
#include "store/csv/csv_reader.h"
#include "store/csv/flat_csv.h"
#include "store/verdict/gbench_file.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {
namespace {

using TestRun = Run;

/// Three cases in three rounds; the last one is wrong.
TestRun small_run() {
  TestRun run = synthetic_run({.cases = 3, .metrics = 2, .rounds = 3, .blocks = 2, .samples = 4});
  run.path = "runs/small";
  for (ResultRow& row : run.rows) row.flops = 1e9;
  const std::string wrong = run.rows.back().case_id;
  std::erase_if(run.rows, [&](const ResultRow& row) {
    return row.case_id == wrong && &row != &run.rows.back();
  });
  ResultRow& last = run.rows.back();
  last.status = Status::wrong;
  last.reason = "error 0.5, allowed 0.1";
  last.metric.clear();
  last.unit.clear();
  last.samples = {};
  return run;
}

TEST(GbenchFile, ReadsBackAsTheSameEstimatesOfTheSameCases) {
  const TestRun run = small_run();
  const TemporaryFolder folder;
  write_file(folder / "run.json", gbench_json(run).json);
  const Imported back = import_gbench({folder / "run.json"});
  ASSERT_EQ(back.runs.size(), 1U);
  EXPECT_EQ(back.runs[0].info.environment.device_class, run.info.environment.device_class);
  EXPECT_EQ(back.runs[0].info.measurement_revision, run.info.measurement_revision);
  const auto before = rows_by_case(run), after = rows_by_case(back.runs[0]);
  ASSERT_EQ(before.size(), after.size());
  for (const CaseRows& found : before) {
    const auto same = std::ranges::find(after, found.case_id, &CaseRows::case_id);
    ASSERT_NE(same, after.end()) << found.case_id;
    EXPECT_EQ(same->status, found.status);
    EXPECT_EQ(same->suite, found.suite);
    EXPECT_EQ(same->op, found.op);
    ASSERT_EQ(same->metrics.size(), found.metrics.size());
    for (std::size_t i = 0; i < found.metrics.size(); ++i) {
      const Estimate ours = estimate(found.metrics[i].rows);
      const auto metric =
          std::ranges::find(same->metrics, found.metrics[i].metric, &MetricRows::metric);
      ASSERT_NE(metric, same->metrics.end());
      const Estimate theirs = estimate(metric->rows);
      EXPECT_EQ(theirs.visits.size(), ours.visits.size());
      EXPECT_NEAR(theirs.value / ours.value, 1, 1e-12);
      EXPECT_NEAR(theirs.variance / ours.variance, 1, 1e-9);
    }
  }
}

TEST(GbenchFile, WhatIsNoTimeIsCountedAndARunWithoutTimesIsRefused) {
  TestRun run = small_run();
  for (ResultRow& row : run.rows)
    if (row.metric == "gpu_time_hot") row.metric = "peak_memory", row.unit = "B";
  EXPECT_EQ(gbench_json(run).left_out, 6U);
  std::erase_if(run.rows, [](const ResultRow& row) { return row.unit != "B"; });
  EXPECT_THROW(gbench_json(run), Error);
}

/// Rows of a CSV text, by column.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder / "flat.csv", text);
  CsvReader reader(folder / "flat.csv");
  std::vector<std::map<std::string, std::string>> rows;
  while (reader.next()) {
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < reader.fields(); ++i) row[reader.header()[i]] = reader.field(i);
  }
  return rows;
}

TEST(FlatCsv, HasARowForEachCaseAndMetricAndAColumnForEachParameter) {
  const TestRun run = small_run();
  const auto rows = rows_of(flat_csv(run));
  ASSERT_EQ(rows.size(), 5U);  // two cases with two metrics, one that is wrong
  EXPECT_EQ(rows[0].at("param.k"), "64");
  EXPECT_EQ(rows[0].at("param.dtype"), "float16");
  EXPECT_EQ(rows[0].at("visits"), "3");
  EXPECT_NEAR(std::stod(rows[0].at("estimate")), true_value(0, 0), 0.01 * true_value(0, 0));
  EXPECT_FALSE(rows[0].at("low").empty());
  EXPECT_EQ(rows[4].at("status"), "WRONG");
  EXPECT_EQ(rows[4].at("estimate"), "");
}

TEST(FlatCsv, OfAComparisonHasItsVerdicts) {
  Comparison comparison;
  Finding& finding = comparison.findings.emplace_back();
  finding.suite = "s";
  finding.case_id = "gemm/libtorch/m=3";
  finding.verdict = Verdict::slower;
  finding.reason = "a, \"b\"\nc";
  finding.change = 0.25;
  finding.flags = {"x", "y"};
  const auto rows = rows_of(flat_csv(comparison));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("verdict"), "SLOWER");
  EXPECT_EQ(rows[0].at("reason"), "a, \"b\"\nc");
  EXPECT_EQ(rows[0].at("change"), "0.25");
  EXPECT_EQ(rows[0].at("change_low"), "");
  EXPECT_EQ(rows[0].at("param.m"), "3");
  EXPECT_EQ(rows[0].at("flags"), "x;y");
}

}  // namespace
}  // namespace plumbline
