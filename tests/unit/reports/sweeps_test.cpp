/// The page of a sweep with planted lines, a planted region that is slower, and a planted
/// crossover.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "analysis/compare.h"
#include "reports/report.h"
#include "stats/descriptive.h"
#include "store/evidence.h"
#include "unit/reports/synthetic.h"

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
  /// custom wins up to 1024 rows and loses from 2048 on.
  double time_s() const {
    return 1e-8 * double(rows) * (backend == "libtorch" ? 1 : rows <= 1024 ? 0.8 : 1.25);
  }
  bool is_slower() const { return dtype == "bfloat16" && rows >= 2048; }
};

constexpr std::size_t kCases = 24;

/// `slower`: factor on the times of the cases that are to be slower.
Run swept_run(std::uint64_t seed, double slower) {
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
        swept.time_s() * (swept.is_slower() ? slower : 1) / median(row.samples.values());
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
  const std::filesystem::path folder = std::filesystem::path(PLUMBLINE_BINARY_DIR) / "tests/pages";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "sweep.html") << page;
  std::ofstream(folder / "sweep.json") << R"({"rows": 24, "sweeps": {
"axis": {"title": "softmax, gpu_time_cold over rows", "lines": 4, "marks": 24, "read": "rows 128"},
"change": {"title": "of 24 cases 4 rose by 2 % or more, 0 fell", "cells": ["custom", "+8"]},
"backends": {"title": "fastest of 12 problems custom in 8, libtorch in 4",
             "texts": ["custom up to rows=1024, libtorch from 2048", "1.25 ×"]},
"roofline": {"title": "NVIDIA H200 was calibrated to reach", "marks": 24, "read": "FLOP per byte"}}})";
}

}  // namespace
}  // namespace plumbline
