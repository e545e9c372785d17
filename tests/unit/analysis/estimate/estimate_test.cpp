#include "analysis/estimate/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

using planted::row_of;
using planted::run_on;

ResultRow row_with(std::int64_t round, const std::vector<std::vector<double>>& blocks) {
  ResultRow row = row_of("gemm/libtorch/m=8", round);
  for (const std::vector<double>& block : blocks) row.samples.add_block(block);
  return row;
}

TEST(Estimate, is_the_median_in_a_block_the_mean_over_blocks_and_the_mean_of_logs_over_rounds) {
  // Medians 2, 4 -> visit 3; medians 12, 12 -> visit 12; the geometric mean of 3 and 12 is 6.
  const ResultRow first = row_with(0, {{1, 2, 90}, {4, 4, 4, 4}}),
                  second = row_with(1, {{12}, {12}});
  const std::vector<const ResultRow*> rows{&first, &second};
  const Estimate found = estimate(rows);
  ASSERT_EQ(found.visits.size(), 2u);
  EXPECT_EQ(found.visits[0].mean, 3);
  EXPECT_EQ(found.visits[0].samples, 7u);
  EXPECT_EQ(found.visits[1].mean, 12);
  EXPECT_NEAR(found.value, 6, 1e-12);
  EXPECT_NEAR(found.variance, std::log(4.0) * std::log(4.0) / 2, 1e-12);
  EXPECT_NEAR(found.visits[0].block_variance, 2.0 / 9, 1e-12);
  EXPECT_NEAR(found.block_floor, (2.0 / 9 / 2 + 0) / 2, 1e-12);
}

TEST(Estimate, of_a_baseline_whose_blocks_were_reduced_to_their_medians_is_the_same) {
  const ResultRow full = row_with(0, {{1, 2, 90}, {4, 5, 7, 9}}), reduced = row_with(0, {{2}, {6}});
  EXPECT_EQ(visit_value(full).mean, visit_value(reduced).mean);
  EXPECT_EQ(visit_value(full).block_variance, visit_value(reduced).block_variance);
}

TEST(Estimate, passes_over_empty_blocks_and_knows_no_spread_of_one_block) {
  const VisitValue visit = visit_value(row_with(0, {{}, {5}, {}}));
  EXPECT_EQ(visit.mean, 5);
  EXPECT_EQ(visit.blocks, 1u);
  EXPECT_TRUE(std::isnan(visit.block_variance));
}

TEST(Estimate, a_sample_that_is_no_number_is_an_error_that_names_case_metric_and_round) {
  const ResultRow row = row_with(4, {{1, std::numeric_limits<double>::quiet_NaN()}});
  try {
    visit_value(row);
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("gemm/libtorch/m=8"), std::string::npos) << text;
    EXPECT_NE(text.find("gpu_time_cold, round 4"), std::string::npos) << text;
  }
  EXPECT_THROW(visit_value(row_with(0, {})), Error);
}

TEST(Estimate, passes_over_blocks_that_were_set_aside_and_counts_them) {
  ResultRow row = row_with(0, {{1}, {90, 91}, {3}});
  row.block_causes = {"", "thermal", ""};
  const VisitValue visit = visit_value(row);
  EXPECT_EQ(visit.mean, 2);
  EXPECT_EQ(visit.blocks, 2u);
  EXPECT_EQ(visit.samples, 2u);
  EXPECT_EQ(visit.set_aside, 1u);
  EXPECT_EQ(set_aside_text(row), "1 of 3 blocks set aside (thermal)");
  EXPECT_EQ(set_aside_text(row_with(0, {{1}})), "");
}

TEST(Estimate, of_what_is_no_time_may_be_zero) {
  ResultRow none = row_with(0, {{0}}), some = row_with(1, {{3}});
  none.metric = some.metric = "leaked_memory";
  none.unit = some.unit = "B";
  const std::vector<const ResultRow*> rows{&none, &some};
  EXPECT_EQ(estimate(rows).value, 1.5);
  EXPECT_TRUE(estimate(rows).logs.empty());
}

TEST(Estimate, of_a_visit_at_or_below_zero_has_no_logarithm) {
  const ResultRow good = row_with(0, {{1}}), bad = row_with(1, {{-1e-9}});
  const std::vector<const ResultRow*> rows{&good, &bad};
  const Estimate found = estimate(rows);
  EXPECT_EQ(found.visits.size(), 2u);
  EXPECT_TRUE(found.logs.empty());
  EXPECT_TRUE(std::isnan(found.value));
}

TEST(RowsByCase, the_status_of_a_case_is_that_of_its_worst_round) {
  auto run = run_on("NVIDIA H200");
  planted::add_visit(run, "gemm/libtorch/m=8", 0, 1e-5);
  planted::add_status(run, "gemm/libtorch/m=8", Status::wrong, "error 0.3", 1);
  planted::add_visit(run, "gemm/libtorch/m=9", 0, 1e-5);
  planted::add_status(run, "gemm/libtorch/m=9", Status::throttled, "thermal", 1);
  const std::vector<CaseRows> cases = rows_by_case(run);
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].status, Status::wrong);
  EXPECT_EQ(cases[0].reason, "round 1: error 0.3");
  EXPECT_TRUE(cases[0].measured());
  EXPECT_EQ(cases[1].status, Status::ok);
}

TEST(RowsByCase, a_visit_without_a_block_that_counts_has_no_value_and_says_why) {
  auto run = run_on("NVIDIA H200");
  planted::add_visit(run, "gemm/libtorch/m=8", 0, 1e-5);
  planted::add_visit(run, "gemm/libtorch/m=8", 1, 7e-5);
  run.rows[1].block_causes = {"thermal", "foreign work", "thermal", "thermal"};
  const std::vector<CaseRows> cases = rows_by_case(run);
  ASSERT_EQ(cases.at(0).metrics.size(), 1u);
  EXPECT_EQ(cases[0].metrics[0].rows, std::vector<const ResultRow*>{&run.rows[0]});
  EXPECT_EQ(cases[0].rows.size(), 2u);
  EXPECT_EQ(cases[0].absent.at("gpu_time_cold"), "4 of 4 blocks set aside (thermal, foreign work)");
}

TEST(RowsByCase, what_one_profile_cannot_measure_never_changes_the_status_another_gives) {
  for (const bool absent_first : {true, false}) {
    auto run = run_on("NVIDIA H200");
    const std::string id = "gemm/libtorch/m=8";
    if (!absent_first) planted::add_visit(run, id, 0, 1e-5);
    planted::add_absent(run, id, "kernel_time_cold", "CUPTI is not there");
    planted::add_status(run, id, Status::unsupported, "no graphs");  // the whole of a profile
    if (absent_first) planted::add_visit(run, id, 0, 1e-5);
    const std::vector<CaseRows> cases = rows_by_case(run);
    ASSERT_EQ(cases.size(), 1u);
    EXPECT_EQ(cases[0].status, Status::ok);
    EXPECT_EQ(cases[0].reason, "");
    EXPECT_EQ(cases[0].metrics.size(), 1u);
    ASSERT_EQ(cases[0].absent.size(), 1u);
    EXPECT_EQ(cases[0].absent.at("kernel_time_cold"), "CUPTI is not there");
  }
}

TEST(RowsByCase, equal_ids_in_two_suites_are_two_cases) {
  auto run = run_on("NVIDIA H200");
  planted::add_visit(run, "gemm/libtorch/m=8", 0, 1e-5);
  planted::add_visit(run, "gemm/libtorch/m=8", 0, 2e-5);
  run.rows[1].suite = "nightly";
  EXPECT_EQ(rows_by_case(run).size(), 2u);
}

TEST(Summary, has_a_row_per_metric_with_the_spread_of_each_level) {
  auto run = run_on("NVIDIA H200");
  for (int round = 0; round < 3; ++round) {
    ResultRow row = row_with(round, {{0.99, 1, 1.01}, {1.99, 2, 2.02, 2.01, 1.98}});
    row.flags = {"bimodal"};
    run.rows.push_back(row);
  }
  planted::add_visit(run, "gemm/libtorch/m=8", 0, 4e-5, "gpu_time_hot");
  planted::add_status(run, "relu/cudnn/n=1", Status::unsupported, "no such layout");
  const std::vector<CaseSummary> rows = summarize(run);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].metric, "gpu_time_cold");
  EXPECT_EQ(rows[0].rounds, 3u);
  EXPECT_EQ(rows[0].blocks, 6u);
  EXPECT_EQ(rows[0].samples, 24u);
  EXPECT_NEAR(rows[0].estimate, 1.5, 1e-12);
  EXPECT_NEAR(*rows[0].low, 1.5, 1e-12);  // the visits are equal
  EXPECT_EQ(rows[0].visit_sd, 0);
  EXPECT_NEAR(rows[0].launch_mad, (0.01 + 0.005) / 2, 1e-12);
  EXPECT_NEAR(rows[0].block_sd, std::sqrt(0.5) / 1.5, 1e-12);
  EXPECT_EQ(rows[0].flags, std::vector<std::string>{"bimodal"});
  EXPECT_EQ(rows[1].metric, "gpu_time_hot");
  EXPECT_FALSE(rows[1].low);
  EXPECT_TRUE(std::isnan(rows[1].visit_sd));
  EXPECT_EQ(rows[2].metric, "");
  EXPECT_EQ(rows[2].status, Status::unsupported);
  EXPECT_EQ(rows[2].reason, "no such layout");
}

TEST(Summary, has_what_the_visits_recorded_and_leaves_the_rest_unknown) {
  auto run = run_on("NVIDIA H200");
  planted::add_case(run, "add/libtorch/dtype=float16", 1e-3);
  const CaseSummary unknown = summarize(run).at(0);
  EXPECT_TRUE(std::isnan(unknown.temperature_c) && std::isnan(unknown.clock_hz));
  run.rows[0].throttle = "power_cap";
  run.rows[1].throttle = "power_cap+sw_thermal";
  run.rows[1].temperature_c = 60;
  run.rows[2].temperature_c = 70;
  run.rows[0].block_clocks_hz = {1e9, 2e9, 3e9};
  const CaseSummary row = summarize(run).at(0);
  EXPECT_EQ(row.throttle, "power_cap+sw_thermal");
  EXPECT_EQ(row.temperature_c, 70);
  EXPECT_EQ(row.clock_hz, 2e9);
}

TEST(Summary, counts_what_was_set_aside_and_says_what_the_time_comes_to) {
  auto run = run_on("NVIDIA H200");
  run.info.calibration = {{"copy_bytes_per_s", 4e12}};
  planted::add_case(run, "add/libtorch/dtype=float16", 1e-3);
  for (ResultRow& row : run.rows) {
    row.bytes = 2e9;
    row.flops = 1e9;
    row.block_causes = {"", "thermal", "", ""};
  }
  const CaseSummary row = summarize(run).at(0);
  EXPECT_EQ(row.blocks, 9u);
  EXPECT_EQ(row.set_aside, 3u);
  EXPECT_NEAR(row.bytes_per_s, 2e12, 1e7);
  EXPECT_NEAR(row.flops_per_s, 1e12, 1e7);
  EXPECT_NEAR(row.percent_of_peak, 50, 1e-2);
}

TEST(Summary, the_interval_holds_the_estimate_and_follows_the_spread_of_the_visits) {
  auto run = run_on("NVIDIA H200");
  planted::add_case(run, "gemm/libtorch/m=8", 1e-5, 0.01);
  const CaseSummary row = summarize(run, 0.95).at(0);
  EXPECT_LT(*row.low, row.estimate);
  EXPECT_GT(*row.high, row.estimate);
  EXPECT_NEAR(*row.high / row.estimate - 1, 4.303 * 0.01 / std::sqrt(3.0), 5e-4);
}

TEST(Estimate, VariancesOfTheLargestAndSmallestValuesAreRelativeOnes) {
  for (const double size : {1.0, 1e299, 1e-200, 1e-300}) {
    const VisitValue visit = visit_value(row_with(0, {{9 * size}, {10 * size}, {11 * size}}));
    EXPECT_NEAR(visit.mean / size, 10, 1e-12);
    EXPECT_NEAR(visit.block_variance, 0.01, 1e-14) << size;
  }
  EXPECT_TRUE(std::isnan(visit_value(row_with(0, {{0}, {0}})).block_variance));
}

}  // namespace
}  // namespace plumbline
