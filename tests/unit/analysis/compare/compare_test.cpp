#include "analysis/compare/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "analysis/variance/noise_priors.h"
#include "core/error.h"
#include "unit/analysis/compared.h"

namespace plumbline {
namespace {

using planted::add_case;
using planted::add_status;
using planted::add_visit;
using Compare = Compared;

TEST_F(Compare, a_run_with_itself_is_the_same_everywhere) {
  const Comparison found = compared();
  EXPECT_EQ(found.count(Verdict::same), 10u);
  EXPECT_EQ(exit_code(found), 0);
  EXPECT_EQ(census_text(census_of(found)), "10 SAME");
  EXPECT_EQ(*found.findings[0].change, 0);
  EXPECT_LT(*found.findings[0].change_low, 0);
  EXPECT_GT(*found.findings[0].detectable, 0.005);
}

TEST_F(Compare, matches_by_name_whatever_the_order_of_the_rows) {
  std::ranges::reverse(after.rows);
  EXPECT_EQ(compared().count(Verdict::same), 10u);
}

TEST_F(Compare, a_slower_and_a_faster_case_are_found_with_their_size_and_stand_first) {
  add_case(before, "gemm/libtorch/m=1", 1e-5);
  add_case(after, "gemm/libtorch/m=1", 1.08e-5);
  add_case(before, "gemm/libtorch/m=2", 1e-5);
  add_case(after, "gemm/libtorch/m=2", 0.8e-5);
  const Comparison found = compared();
  EXPECT_EQ(found.findings[0].case_id, "gemm/libtorch/m=1");
  EXPECT_EQ(found.findings[0].verdict, Verdict::slower);
  EXPECT_NEAR(*found.findings[0].change, 0.08, 1e-6);
  EXPECT_GT(*found.findings[0].change_low, 0.05);
  EXPECT_EQ(found.findings[1].case_id, "gemm/libtorch/m=2");
  EXPECT_EQ(found.findings[1].verdict, Verdict::faster);
  EXPECT_EQ(exit_code(found), 1);
  EXPECT_EQ(census_text(census_of(found)), "1 SLOWER, 1 FASTER, 10 SAME");
}

TEST_F(Compare, a_case_shows_its_worst_metric) {
  add_case(before, "gemm/libtorch/m=1", 1e-5);
  add_case(after, "gemm/libtorch/m=1", 1e-5);
  add_case(before, "gemm/libtorch/m=1", 1e-6, 0.001, "gpu_time_hot");
  add_case(after, "gemm/libtorch/m=1", 1.3e-6, 0.001, "gpu_time_hot");
  const Comparison found = compared();
  EXPECT_EQ(found.findings.size(), 12u);
  EXPECT_EQ(worst_per_case(found).size(), 11u);
  EXPECT_EQ(worst_per_case(found)[0]->metric, "gpu_time_hot");
  EXPECT_EQ(found.count(Verdict::slower), 1u);
  EXPECT_EQ(found.count(Verdict::same), 10u);
}

TEST_F(Compare, a_change_below_what_counts_is_unresolved_in_words_until_the_suite_says_it_counts) {
  for (auto* run : {&before, &after})
    for (int i = 0; i < 30; ++i) add_case(*run, "relu/libtorch/n=" + std::to_string(i), 1e-5);
  add_case(before, "gemm/libtorch/m=1", 1e-5);
  add_case(after, "gemm/libtorch/m=1", 1.0172e-5);
  const Finding without = finding(compared(), "gemm/libtorch/m=1");
  EXPECT_EQ(without.verdict, Verdict::unresolved);
  EXPECT_EQ(without.reason.find("changed by +1.7 % (+1.4 to +2.0 %), below"), 0u) << without.reason;
  CompareOptions options;
  options.thresholds[{"quick", "gemm/libtorch/m=1"}] = 0.01;
  DecisionRule rule = default_rule("cuda");
  rule.run_sd = 0.001;
  const Comparison with = compare(before, after, rule, options);
  EXPECT_EQ(finding(with, "gemm/libtorch/m=1").verdict, Verdict::slower);
  EXPECT_EQ(finding(with, "gemm/libtorch/m=1").threshold, 0.01);
}

TEST_F(Compare, three_processes_that_all_fell_into_one_of_two_modes_are_no_slowdown_among_many) {
  // Measured twice on an H200 with the same code: a batched gemm whose processes have modes 2.5 %
  // apart.
  const double one_mode[] = {1.616e-5, 1.625e-5, 1.623e-5};
  const double other_mode[] = {1.667e-5, 1.663e-5, 1.655e-5};
  std::mt19937_64 random(1);
  std::normal_distribution<double> of_run(0, 0.0035);  // according to the rule and the visits
  for (int i = 0; i < 590; ++i)
    for (auto* run : {&before, &after})
      add_case(*run, "gemm/libtorch/m=" + std::to_string(i), 1e-5 * std::exp(of_run(random)),
               0.004);
  for (int round = 0; round < 3; ++round) {
    add_visit(before, "gemm/libtorch/batch=96", round, one_mode[round]);
    add_visit(after, "gemm/libtorch/batch=96", round, other_mode[round]);
  }
  const Finding found = finding(compared(), "gemm/libtorch/batch=96");
  EXPECT_EQ(found.verdict, Verdict::unresolved);
  EXPECT_NEAR(*found.change, 0.0249, 0.001);
}

TEST_F(Compare, a_wide_threshold_silences_a_change_below_it_without_calling_it_the_same) {
  add_case(before, "gemm/libtorch/m=1", 1e-5);
  add_case(after, "gemm/libtorch/m=1", 1.06e-5);
  EXPECT_EQ(finding(compared(), "gemm/libtorch/m=1").verdict, Verdict::slower);
  CompareOptions options;
  options.thresholds[{"quick", "gemm/libtorch/m=1"}] = 0.10;
  const Comparison silenced = compared(options);
  EXPECT_EQ(finding(silenced, "gemm/libtorch/m=1").verdict, Verdict::unresolved);
  EXPECT_NE(finding(silenced, "gemm/libtorch/m=1").reason.find("below the 10 % that counts"),
            std::string::npos);
}

TEST_F(Compare, noise_that_hides_a_change_is_said_with_the_interval_and_what_would_be_seen) {
  for (auto* run : {&before, &after})
    for (int i = 0; i < 10; ++i) add_case(*run, "gemm/libtorch/m=" + std::to_string(i), 1e-5, 0.05);
  const Finding noisy = finding(compared(), "gemm/libtorch/m=3");
  EXPECT_EQ(noisy.verdict, Verdict::unresolved);
  EXPECT_EQ(noisy.reason.find("could be anything from −"), 0u) << noisy.reason;
  EXPECT_GT(*noisy.detectable, 0.1);
}

TEST_F(Compare, blocks_that_scatter_more_than_the_visits_by_luck_agree_widen_the_interval) {
  for (int round = 0; round < 3; ++round)
    for (auto* run : {&before, &after}) {
      ResultRow row = planted::row_of("gemm/libtorch/m=1", round);
      for (const double block : {0.8e-5, 1.2e-5, 0.7e-5, 1.3e-5})
        row.samples.add_block({&block, 1});
      run->rows.push_back(row);
    }
  const Finding found = finding(compared(), "gemm/libtorch/m=1");
  EXPECT_EQ(found.verdict, Verdict::unresolved);
  EXPECT_GT(*found.change_high, 0.2);
}

TEST_F(Compare, what_broke_what_was_mended_what_came_and_what_went) {
  add_case(before, "gemm/libtorch/m=1", 1e-5);
  add_visit(after, "gemm/libtorch/m=1", 0, 1e-5);
  add_status(after, "gemm/libtorch/m=1", Status::crashed, "signal 11", 1);
  add_status(before, "gemm/libtorch/m=2", Status::wrong, "error 0.5");
  add_case(after, "gemm/libtorch/m=2", 1e-5);
  add_case(before, "gemm/libtorch/m=3", 1e-5);
  add_case(after, "gemm/libtorch/m=4", 1e-5);
  add_case(before, "gemm/libtorch/m=5", 1e-5);
  add_status(after, "gemm/libtorch/m=5", Status::unsupported, "no kernel");
  add_status(before, "gemm/libtorch/m=6", Status::excluded, "slow");
  add_case(after, "gemm/libtorch/m=6", 1e-5);
  const Comparison found = compared();
  const Finding& broken = found.findings[0];
  EXPECT_EQ(broken.verdict, Verdict::broken);
  EXPECT_EQ(broken.reason, "CRASHED: round 1: signal 11");
  EXPECT_NEAR(*broken.baseline, 1e-5, 1e-9);
  EXPECT_EQ(broken.baseline_status, "OK");
  EXPECT_EQ(broken.candidate_status, "CRASHED");
  EXPECT_EQ(finding(found, "gemm/libtorch/m=2").verdict, Verdict::fixed);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=3").verdict, Verdict::missing);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=3").candidate_status, "");
  EXPECT_EQ(finding(found, "gemm/libtorch/m=4").verdict, Verdict::added);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=5").verdict, Verdict::missing);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=5").reason, "UNSUPPORTED: no kernel");
  EXPECT_EQ(finding(found, "gemm/libtorch/m=6").verdict, Verdict::added);
  EXPECT_EQ(exit_code(found), 1);
  EXPECT_EQ(census_text(census_of(found)), "10 SAME, 2 NEW, 2 MISSING, 1 BROKEN, 1 FIXED");
}

TEST_F(Compare, what_is_left_out_on_purpose_in_both_runs_is_no_finding) {
  add_status(before, "gemm/cudnn/m=1", Status::unsupported, "no cuDNN");
  add_status(after, "gemm/cudnn/m=1", Status::unsupported, "no cuDNN");
  add_status(before, "gemm/cudnn/m=2", Status::excluded, "slow");
  add_status(after, "gemm/cudnn/m=3", Status::excluded, "slow");
  add_status(before, "gemm/cudnn/m=4", Status::wrong, "error 1");
  add_status(after, "gemm/cudnn/m=4", Status::excluded, "known to be wrong");
  const Comparison found = compared();
  EXPECT_EQ(found.findings.size(), 10u);
  EXPECT_EQ(exit_code(found), 0);
}

TEST_F(Compare, what_is_wrong_in_both_runs_or_new_and_wrong_stays_visible_without_alarm) {
  add_status(before, "gemm/cudnn/m=1", Status::wrong, "error 1");
  add_status(after, "gemm/cudnn/m=1", Status::wrong, "error 1");
  add_status(after, "gemm/cudnn/m=2", Status::out_of_memory, "80 GB");
  const Comparison found = compared();
  EXPECT_EQ(finding(found, "gemm/cudnn/m=1").verdict, Verdict::not_judged);
  EXPECT_EQ(finding(found, "gemm/cudnn/m=1").reason, "WRONG in both runs: round 0: error 1");
  EXPECT_EQ(finding(found, "gemm/cudnn/m=2").reason,
            "OUT_OF_MEMORY: round 0: 80 GB; the baseline has no result of it");
  EXPECT_EQ(exit_code(found), 3);
}

TEST_F(Compare, fewer_than_two_visits_are_not_judged_and_two_are) {
  add_case(before, "gemm/libtorch/m=1", 1e-5);
  add_visit(after, "gemm/libtorch/m=1", 0, 1e-5);
  add_status(after, "gemm/libtorch/m=1", Status::throttled, "thermal", 1);
  add_case(before, "gemm/libtorch/m=2", 1e-5);
  add_visit(after, "gemm/libtorch/m=2", 0, 1e-5);
  add_visit(after, "gemm/libtorch/m=2", 2, 1.0005e-5);
  add_case(before, "gemm/libtorch/m=3", 1e-5);
  add_status(after, "gemm/libtorch/m=3", Status::interrupted, "Ctrl-C");
  const Comparison found = compared();
  EXPECT_EQ(finding(found, "gemm/libtorch/m=1").verdict, Verdict::not_judged);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=1").reason,
            "1 visit in this run, at least 2 are needed");
  EXPECT_EQ(finding(found, "gemm/libtorch/m=2").verdict, Verdict::same);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=2").candidate_visits, 2u);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=3").reason,
            "no visit in this run: INTERRUPTED: Ctrl-C");
  EXPECT_EQ(exit_code(found), 3);
}

TEST_F(Compare, metrics_units_and_times_that_cannot_be_compared_are_not_judged) {
  add_case(before, "gemm/libtorch/m=1", 1e-5);
  add_case(after, "gemm/libtorch/m=1", 1e-5);
  add_case(before, "gemm/libtorch/m=1", 1e-6, 0.001, "host_time");
  add_case(before, "gemm/libtorch/m=2", 1e-5);
  add_case(after, "gemm/libtorch/m=2", -1e-9);
  add_case(before, "gemm/libtorch/m=3", 1e-5);
  add_case(after, "gemm/libtorch/m=3", 10);
  for (auto& row : after.rows)
    if (row.case_id == "gemm/libtorch/m=3") row.unit = "us";
  const Comparison found = compared();
  EXPECT_EQ(finding(found, "gemm/libtorch/m=1", "host_time").reason, "metric not in this run");
  EXPECT_EQ(finding(found, "gemm/libtorch/m=1", "gpu_time_cold").verdict, Verdict::same);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=2").reason, "a visit in this run is not above zero");
  EXPECT_EQ(finding(found, "gemm/libtorch/m=3").reason, "unit: the baseline has s, this run us");
  EXPECT_FALSE(finding(found, "gemm/libtorch/m=3").baseline) << "its seconds would be read as us";
}

TEST_F(Compare, a_changed_problem_is_not_judged_even_if_it_got_slower) {
  add_case(before, "gemm/libtorch/m=1", 1e-5);
  add_case(after, "gemm/libtorch/m=1", 9e-5);
  for (auto& row : after.rows)
    if (row.case_id == "gemm/libtorch/m=1") row.revision = "2";
  const Finding found = finding(compared(), "gemm/libtorch/m=1");
  EXPECT_EQ(found.verdict, Verdict::not_judged);
  EXPECT_EQ(found.reason, "revision 1 -> 2: the problem changed");
}

TEST_F(Compare, a_renamed_case_keeps_its_baseline_over_two_renames) {
  add_case(before, "gemm/libtorch/old=1", 1e-5);
  add_case(after, "gemm/libtorch/m=1", 1.2e-5);
  CompareOptions options;
  options.renames[{"quick", "gemm/libtorch/old=1"}] = "gemm/libtorch/mid=1";
  options.renames[{"quick", "gemm/libtorch/mid=1"}] = "gemm/libtorch/m=1";
  const Comparison found = compared(options);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=1").verdict, Verdict::slower);
  EXPECT_EQ(found.findings.size(), 11u);
  EXPECT_EQ(compared().count(Verdict::missing), 1u);
}

TEST_F(Compare, another_or_an_unknown_device_class_is_never_judged) {
  add_status(after, "softmax/libtorch/n=0", Status::out_of_memory, "small device", 1);
  after.info.environment.device_class = "NVIDIA H100";
  const Comparison other = compared();
  EXPECT_EQ(other.count(Verdict::not_judged), 10u);
  EXPECT_EQ(other.findings[0].reason,
            "device class: the baseline has 'NVIDIA H200', this run 'NVIDIA H100'");
  EXPECT_EQ(exit_code(other), 3);
  before.info.environment.device_class = after.info.environment.device_class = "";
  EXPECT_EQ(compared().findings[0].reason,
            "device class: the baseline has unknown, this run unknown; run.json tells it as "
            "environment.device_class");
}

TEST_F(Compare, another_meaning_of_the_metrics_is_never_judged) {
  before.info.measurement_revision = kMeasurementRevision - 1;
  EXPECT_EQ(compared().count(Verdict::not_judged), 10u);
}

TEST_F(Compare, what_else_differs_is_listed_without_notes_and_the_comparison_goes_on) {
  after.info.environment.driver = "590";
  after.info.environment.commit = "abc";
  after.info.environment.branch = "elsewhere";
  const Comparison found = compared();
  ASSERT_EQ(found.environment_changes.size(), 2u);
  EXPECT_EQ(found.environment_changes[0].name, "driver");
  EXPECT_EQ(found.environment_changes[0].kind, "environment");
  EXPECT_EQ(found.environment_changes[1].kind, "subject");
  EXPECT_EQ(found.count(Verdict::same), 10u);
}

TEST_F(Compare, options_and_suite_files_that_differ_are_named) {
  before.info.suites = after.info.suites = {{"quick", "quick.yaml", "aaaa", {}}};
  after.info.suites[0].hash = "bbbb";
  after.info.policy.cache = {"hot"};
  after.info.policy.precision = 0.01;
  const Comparison found = compared();
  ASSERT_EQ(found.environment_changes.size(), 3u);
  EXPECT_EQ(found.environment_changes[0].name, "policy.cache");
  EXPECT_EQ(found.environment_changes[0].baseline, "cold, hot");
  EXPECT_EQ(found.environment_changes[1].candidate, "0.01");
  EXPECT_EQ(found.environment_changes[2].label, "suite file quick");
}

TEST_F(Compare, another_device_of_the_class_is_noted_and_widens_the_intervals) {
  const double same_device = *compared().findings[0].change_high;
  after.info.environment.device_uuids = {"GPU-2"};
  const Comparison found = compared();
  EXPECT_GT(*found.findings[0].change_high, 1.2 * same_device);
  EXPECT_EQ(found.rule.run_sd, noise_prior("cuda", Sameness::other_device).run_sd);
  EXPECT_NE(found.notes.at(0).find("Another device of the same class ('GPU-1' and 'GPU-2')"),
            std::string::npos);
}

TEST_F(Compare, devices_that_nobody_named_may_be_two) {
  before.info.environment.device_uuids = after.info.environment.device_uuids = {};
  const Comparison found = compared();
  EXPECT_EQ(found.rule.run_sd, noise_prior("cuda", Sameness::other_device).run_sd);
  EXPECT_NE(
      found.notes.at(0).find("Perhaps another device of the same class (unknown and unknown)"),
      std::string::npos);
}

TEST_F(Compare, a_shift_of_the_whole_run_exits_3_and_a_few_cases_are_no_whole_run) {
  for (auto& row : after.rows) {
    SampleSet slower;
    for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
      std::vector<double> block(row.samples.block(i).begin(), row.samples.block(i).end());
      for (double& sample : block) sample *= 1.05;
      slower.add_block(block);
    }
    row.samples = slower;
  }
  EXPECT_FALSE(compared().shift);  // ten cases
  EXPECT_EQ(exit_code(compared()), 1);
  for (int i = 0; i < 2; ++i) {
    add_case(before, "relu/libtorch/n=" + std::to_string(i), 1e-5);
    add_case(after, "relu/libtorch/n=" + std::to_string(i), 1.05e-5);
  }
  const Comparison found = compared();
  ASSERT_TRUE(found.shift);
  EXPECT_NEAR(found.shift->change, 0.05, 1e-6);
  EXPECT_EQ(found.shift->cases, 12u);
  EXPECT_EQ(found.count(Verdict::unresolved), 12u) << "what got slower is not the same";
  EXPECT_TRUE(found.findings[0].reason.starts_with("the same apart from the run's shift of +5.0 %"))
      << found.findings[0].reason;
  EXPECT_NEAR(*found.findings[0].raw_change, 0.05, 1e-6);
  EXPECT_EQ(exit_code(found), 3);
}

TEST_F(Compare, a_run_that_has_not_finished_says_so) {
  after.info.finished_at = "";
  EXPECT_EQ(compared().notes.at(0), "This run has not finished.");
}

TEST_F(Compare, flags_of_both_sides_and_unverified_cases_are_carried) {
  add_case(before, "gemm/libtorch/m=1", 1e-5);
  add_case(after, "gemm/libtorch/m=1", 1e-5);
  before.rows.back().flags = {"bimodal"};
  after.rows.back().flags = {"trend", "bimodal"};
  for (auto& row : after.rows) row.status = Status::unverified;
  const Finding found = finding(compared(), "gemm/libtorch/m=1");
  EXPECT_EQ(found.verdict, Verdict::same);
  EXPECT_EQ(found.candidate_status, "UNVERIFIED");
  EXPECT_EQ(found.flags, (std::vector<std::string>{"bimodal", "trend"}));
}

TEST_F(Compare, a_sample_that_is_no_number_and_a_rule_without_sense_are_errors) {
  const double bad[] = {std::numeric_limits<double>::infinity()};
  DecisionRule rule = default_rule("cuda");
  rule.confidence = 1;
  EXPECT_THROW(compare(before, after, rule), Error);
  CompareOptions options;
  options.thresholds[{"quick", "softmax/libtorch/n=0"}] = -0.02;
  EXPECT_THROW(compared(options), Error);
  after.rows[0].samples.add_block(bad);
  EXPECT_THROW(compared(), Error);
}

TEST_F(Compare, a_counter_that_never_varies_is_judged_too) {
  for (auto* run : {&before, &after})
    for (int i = 0; i < 3; ++i) {
      const std::string id = "gemm/libtorch/m=" + std::to_string(i);
      add_case(*run, id, run == &after && i == 1 ? 2048 : 1024, 0, "peak_memory");
    }
  const Comparison found = compared();
  EXPECT_EQ(finding(found, "gemm/libtorch/m=0").verdict, Verdict::same);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=1").verdict, Verdict::slower);
}

}  // namespace
}  // namespace plumbline
