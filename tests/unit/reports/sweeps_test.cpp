/// The page of a sweep with planted lines, a planted slower region, and a planted crossover.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "analysis/compare/compare.h"
#include "reports/report.h"
#include "reports/sections/sweeps/rivals.h"
#include "stats/descriptive.h"
#include "store/recorded/evidence.h"
#include "unit/reports/planted.h"

namespace plumbline {
namespace {

constexpr std::int64_t kRows[] = {128, 256, 512, 1024, 2048, 4096};
constexpr const char* kDtypes[] = {"float16", "bfloat16"};
constexpr const char* kBackends[] = {"libtorch", "custom"};

struct SweptCase {
  std::int64_t rows;
  std::string dtype, backend;

  explicit SweptCase(std::size_t i)
      : rows(kRows[i % 6]), dtype(kDtypes[i / 6 % 2]), backend(kBackends[i / 12]) {}
  std::string id() const {
    return case_id("softmax", backend, {{"dtype", dtype}, {"rows", rows}, {"cols", 4096}});
  }
  /// custom wins up to 1024 rows and loses from 2048 on; float16 at 1024 and 2048 rows are ties.
  double time_s(bool has_ties) const {
    if (has_ties && dtype == "float16" && (rows == 1024 || rows == 2048))
      return 1e-8 * double(rows);
    return 1e-8 * double(rows) * (backend == "libtorch" ? 1 : rows <= 1024 ? 0.8 : 1.25);
  }
  bool is_slower() const { return dtype == "bfloat16" && rows >= 2048; }
};

constexpr std::size_t kCases = 24;

/// `slower`: factor on the times of the slower cases.
Run swept_run(std::uint64_t seed, double slower, bool has_ties = false) {
  Run run = SyntheticRun({.cases = kCases, .metrics = {"gpu_time_cold"}}).make(seed, [](auto) {
    return 1.0;
  });
  for (ResultRow& row : run.rows) {
    const SweptCase swept{std::size_t(row.order)};
    row.case_id = swept.id();
    row.op = "softmax";
    row.backend = swept.backend;
    row.bytes = double(swept.rows) * 4096 * 4;
    row.flops = 5 * double(swept.rows) * 4096;
    const double factor =
        swept.time_s(has_ties) * (swept.is_slower() ? slower : 1) / median(row.samples.values());
    SampleSet scaled;
    for (std::size_t b = 0; b < row.samples.blocks(); ++b) {
      std::vector<double> block(row.samples.block(b).begin(), row.samples.block(b).end());
      for (double& sample : block) sample *= factor;
      scaled.add_block(block);
    }
    row.samples = std::move(scaled);
  }
  run.info.calibration = {{"copy_bytes_per_s", 4.2e12}, {"matmul_bfloat16_flops_per_s", 7e14}};
  return run;
}

TEST(Sweeps, APageForTheBrowserHasPlantedLinesARegionAndACrossover) {
  const plumbline::Run before = swept_run(1, 1), after = swept_run(2, 1.08);
  Comparison comparison = compare(before, after, default_rule("cuda"));
  explain(comparison, before, after);
  ASSERT_EQ(comparison.count(Verdict::slower), 4U);
  const std::string page = render_report({&after, &before, &comparison});
  EXPECT_NE(page.find("\"copy_bytes_per_s\":4.2e+12"), std::string::npos);
  write_page("sweep", page, R"({"rows": 24, "sweeps": {
"axis": {"title": "softmax, gpu_time_cold over rows", "lines": 4, "marks": 24, "read": "rows 128"},
"change": {"title": "of 24 cases 4 rose by 2 % or more, 0 fell", "cells": ["custom", "+8"]},
"backends": {"title": "fastest of 12 problems custom in 8, libtorch in 4",
             "texts": ["custom up to rows=1024, libtorch from 2048", "1.250 × [1.2"]},
"roofline": {"title": "NVIDIA H200 was calibrated to reach", "marks": 24, "read": "FLOP per byte"}}})");
}

/// By row, whether make_rivals() says that it is behind the best one for its problem.
std::map<std::string_view, bool> behind_of(const ReportModel& model) {
  std::map<std::string_view, bool> behind;
  for (const Rival& rival : make_rivals(model))
    behind[model.cases[rival.row].id] = rival.is_behind();
  return behind;
}

/// A run whose visits scatter by 2 %: 20 % between backends is reported, ties are not.
plumbline::Run scattered(plumbline::Run run) {
  for (ResultRow& row : run.rows) {
    const double factor = 1 + 0.02 * double((row.order * 7 + row.round * 5) % 3 - 1);
    SampleSet scaled;
    for (std::size_t b = 0; b < row.samples.blocks(); ++b) {
      std::vector<double> block(row.samples.block(b).begin(), row.samples.block(b).end());
      for (double& sample : block) sample *= factor;
      scaled.add_block(block);
    }
    row.samples = std::move(scaled);
  }
  return run;
}

TEST(Sweeps, ABackendIsBehindWhereTheIntervalOfTheRatioSaysSo) {
  const plumbline::Run run = scattered(swept_run(3, 1, true));
  const ReportInput input{&run};
  const ReportModel model = make_model(input);
  const std::vector<Rival> rivals = make_rivals(model);
  ASSERT_EQ(rivals.size(), kCases);
  const auto behind = behind_of(model);
  for (std::size_t i = 0; i < kCases; ++i) {
    const SweptCase swept{i};
    const bool is_tie = swept.dtype == "float16" && (swept.rows == 1024 || swept.rows == 2048);
    const bool loses = (swept.backend == "custom") == (swept.rows > 1024);
    EXPECT_EQ(behind.at(swept.id()), loses && !is_tie) << swept.id();
  }
  for (const Rival& rival : rivals) {
    EXPECT_GE(rival.times.value, 1);
    EXPECT_FALSE(rival.row == rival.best && rival.is_behind());
    const SweptCase best(std::size_t(model.cases[rival.best].candidate.row->order));
    EXPECT_EQ(best.rows, SweptCase(std::size_t(model.cases[rival.row].candidate.row->order)).rows);
  }
}

TEST(Sweeps, OfOneVisitNoBackendIsBehind) {
  plumbline::Run run = swept_run(3, 1);
  std::erase_if(run.rows, [](const ResultRow& row) { return row.round > 0; });
  const ReportInput input{&run};
  const ReportModel model = make_model(input);
  for (const auto& [id, is_behind] : behind_of(model)) EXPECT_FALSE(is_behind) << id;
  EXPECT_NEAR(make_rivals(model).front().times.value, 1, 0.3);
}

TEST(Sweeps, APageForTheBrowserHasACrossoverOverATieAndRowsOfTwoCaches) {
  const plumbline::Run cold = scattered(swept_run(3, 1, true));
  plumbline::Run run = cold;
  for (ResultRow row : cold.rows) {
    row.metric = "gpu_time_hot";
    run.rows.push_back(std::move(row));
  }
  write_page("ties", render_report({&run}), R"({"rows": 24, "caches": ["cold", "hot"], "sweeps": {
"backends": {"title": "fastest of 12 problems custom in 7, libtorch in 3; undecided in 2",
             "texts": ["dtype=float16: custom up to rows=512, libtorch from 4096; undecided at 1024, 2048",
                       "dtype=bfloat16: custom up to rows=1024, libtorch from 2048", "≈ 1."]}}})");
}

}  // namespace
}  // namespace plumbline
