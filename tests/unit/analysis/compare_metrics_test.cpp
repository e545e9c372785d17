// Which metrics compare() judges, and what it says about metrics that one side lacks.
#include "unit/analysis/compared.h"

namespace plumbline {
namespace {

using planted::add_case;
using planted::add_status;
using CompareMetrics = Compared;

TEST_F(CompareMetrics,
       a_metric_that_only_the_baseline_lacks_is_new_and_changes_nothing_for_its_case) {
  for (int i = 0; i < 10; ++i)
    add_case(after, "softmax/libtorch/n=" + std::to_string(i), 2e-6, 0.001, "kernel_time_cold");
  planted::add_absent(before, "softmax/libtorch/n=1", "kernel_time_cold", "CUPTI is not there");
  const Comparison found = compared();
  EXPECT_EQ(found.findings.size(), 20u);
  const Finding& added = finding(found, "softmax/libtorch/n=0", "kernel_time_cold");
  EXPECT_EQ(added.verdict, Verdict::added);
  EXPECT_EQ(added.reason, "metric not in the baseline");
  EXPECT_NEAR(*added.candidate, 2e-6, 1e-9);
  EXPECT_EQ(finding(found, "softmax/libtorch/n=1", "kernel_time_cold").reason,
            "not measured in the baseline: CUPTI is not there");
  EXPECT_EQ(found.count(Verdict::same), 10u);
  EXPECT_EQ(exit_code(found), 0);
}

TEST_F(CompareMetrics, a_metric_of_the_baseline_that_was_not_measured_is_not_judged_and_says_why) {
  for (int i = 0; i < 4; ++i) {
    const std::string id = "gemm/libtorch/m=" + std::to_string(i);
    for (auto* run : {&before, &after}) add_case(*run, id, 1e-5);
    add_case(before, id, 9e-6, 0.001, "kernel_time_cold");
  }
  planted::add_absent(after, "gemm/libtorch/m=1", "kernel_time_cold", "records were lost");
  add_status(after, "gemm/libtorch/m=2", Status::unsupported, "this build has no CUPTI");
  after.rows.back().worker = "trace:77";
  add_case(after, "gemm/libtorch/m=3", 9e-6, 0.001, "kernel_time_cold");
  for (ResultRow& row : after.rows)
    if (row.metric == "kernel_time_cold" && !row.samples.empty())
      row.block_causes.assign(row.samples.blocks(), "power brake");
  const Comparison found = compared();
  const auto reason = [&](int i) {
    const Finding& of = finding(found, "gemm/libtorch/m=" + std::to_string(i), "kernel_time_cold");
    EXPECT_EQ(of.verdict, Verdict::not_judged);
    return of.reason;
  };
  EXPECT_EQ(reason(0), "metric not in this run");
  EXPECT_EQ(reason(1), "not measured: records were lost");
  EXPECT_EQ(reason(2), "not measured: UNSUPPORTED: this build has no CUPTI");
  EXPECT_EQ(reason(3), "not measured: 4 of 4 blocks set aside (power brake)");
  EXPECT_EQ(finding(found, "gemm/libtorch/m=1", "gpu_time_cold").verdict, Verdict::same);
  EXPECT_EQ(exit_code(found), 3);
  after.info.asked.emplace();
  after.info.finished_at = "";
  EXPECT_EQ(finding(compared(), "gemm/libtorch/m=0", "kernel_time_cold").reason,
            "metric not in this run")
      << "it may still come";
  after.info.finished_at = "2026-01-01T00:00:00Z";
  EXPECT_EQ(finding(compared(), "gemm/libtorch/m=0", "kernel_time_cold").reason,
            "no longer measured: this run does not ask for it");
}

TEST_F(CompareMetrics, metrics_that_are_only_shown_have_a_change_and_no_consequence) {
  const Comparison without = compared();
  add_case(before, "softmax/libtorch/n=0", 1e-6, 0.001, "kernel_span_cold");
  add_case(after, "softmax/libtorch/n=0", 3e-6, 0.001, "kernel_span_cold");
  add_case(before, "softmax/libtorch/n=1", 1e-6, 0.001, "kernel_span_cold");  // gone
  add_case(after, "softmax/libtorch/n=2", 0.9, 0.001, "stream_efficiency");   // new
  const Comparison found = compared();
  EXPECT_EQ(found.findings.size(), 10u);
  EXPECT_EQ(found.findings[0].adjusted_p, without.findings[0].adjusted_p);
  EXPECT_EQ(exit_code(found), 0);
  ASSERT_EQ(found.shown.size(), 3u);
  EXPECT_EQ(found.shown[0].metric, "kernel_span_cold");
  EXPECT_EQ(found.shown[0].unit, "s");
  EXPECT_NEAR(*found.shown[0].change, 2, 1e-6);
  EXPECT_FALSE(found.shown[1].candidate);
  EXPECT_FALSE(found.shown[2].change);
}

TEST_F(CompareMetrics, a_case_of_which_nothing_judged_was_measured_is_not_judged) {
  for (auto* run : {&before, &after})
    add_case(*run, "gemm/libtorch/m=1", 1e-6, 0.001, "kernel_span_cold");
  const Finding found = finding(compared(), "gemm/libtorch/m=1");
  EXPECT_EQ(found.verdict, Verdict::not_judged);
  EXPECT_EQ(found.reason, "a metric that is judged is not in the baseline");
}

TEST_F(CompareMetrics,
       memory_that_is_zero_in_both_runs_is_the_same_and_what_it_came_to_has_no_ratio) {
  for (int i = 0; i < 3; ++i) {
    const std::string id = "softmax/libtorch/n=" + std::to_string(i);
    for (auto* run : {&before, &after})
      add_case(*run, id, run == &after && i == 1 ? 512 : 0, 0, "peak_memory");
  }
  for (auto* run : {&before, &after})
    for (ResultRow& row : run->rows)
      if (row.metric == "peak_memory") row.unit = std::string("B");
  const Comparison found = compared();
  EXPECT_EQ(finding(found, "softmax/libtorch/n=0", "peak_memory").verdict, Verdict::same);
  const Finding& grown = finding(found, "softmax/libtorch/n=1", "peak_memory");
  EXPECT_EQ(grown.verdict, Verdict::not_judged);
  EXPECT_EQ(grown.reason, "0 in the baseline: no ratio");
}

TEST_F(CompareMetrics, a_rate_that_this_device_cannot_reach_is_flagged) {
  after.info.calibration = {{"copy_bytes_per_s", 4e12}};
  after.info.environment.device_l2_bytes = 50000000;
  for (ResultRow& row : after.rows) row.bytes = 1e9;
  const Comparison found = compared();
  EXPECT_EQ(finding(found, "softmax/libtorch/n=0").flags,
            (std::vector<std::string>{"bandwidth above peak", "faster than the device"}));
}

TEST_F(CompareMetrics,
       a_time_that_the_device_cannot_reach_is_no_record_unless_it_was_there_before) {
  for (auto* run : {&before, &after}) {
    run->info.calibration = {{"copy_bytes_per_s", 4e12}};
    run->info.environment.device_l2_bytes = 50000000;
  }
  for (ResultRow& row : after.rows) row.bytes = 1e9;
  const Finding found = finding(compared(), "softmax/libtorch/n=0");
  EXPECT_EQ(found.verdict, Verdict::not_judged);
  EXPECT_TRUE(found.reason.starts_with("faster than the device: ")) << found.reason;
  for (ResultRow& row : before.rows) row.bytes = 1e9;
  EXPECT_EQ(finding(compared(), "softmax/libtorch/n=0").verdict, Verdict::same);
}

}  // namespace
}  // namespace plumbline
