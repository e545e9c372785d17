// Planted components are found, and components that the data cannot tell are unknown.
#include "analysis/variance/variance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "core/error.h"
#include "core/natural_order.h"
#include "stats/descriptive.h"
#include "unit/analysis/planted_levels.h"

namespace plumbline {
namespace {

using namespace planted_levels;

double mean_change(const std::vector<CaseVariance>& table) {
  std::vector<double> changes;
  for (const CaseVariance& row : table) changes.push_back(row.trend.change);
  return mean(changes);
}

void change_rows(Runs& runs, const std::function<void(ResultRow&)>& change) {
  for (Run& run : runs)
    for (ResultRow& row : run.rows) change(row);
}

TEST(Variance, launches_alone_are_found_as_launches) {
  const auto table = variance_table(runs_of({.launch = 0.01}));
  ASSERT_EQ(table.size(), 300u);
  EXPECT_NEAR(mean_sd(table, Level::launch), 0.01, 0.0003);
  // The median of ten normal values has 0.138 of the variance of one value.
  EXPECT_NEAR(mean_sd(table, Level::revisit), 0.01 * std::sqrt(0.138), 0.0002);
  for (const Level level : {Level::placement, Level::process, Level::run})
    EXPECT_LT(mean_sd(table, level), 0.0015) << name_of(level);
  EXPECT_GE(variance_by_metric(table)[0].dominated_by[0], 200u);
}

TEST(Variance, what_moves_between_blocks_at_one_placement_alone_is_found_there) {
  const auto table = variance_table(runs_of({.block = 0.01}));
  EXPECT_NEAR(mean_sd(table, Level::revisit), 0.01, 0.0003);
  EXPECT_NEAR(mean_sd(table, Level::block), 0.01, 0.0003);
  EXPECT_EQ(mean_sd(table, Level::launch), 0);
  EXPECT_LT(mean_sd(table, Level::placement), 0.003);
  EXPECT_LT(mean_sd(table, Level::process), 0.0015);
}

TEST(Variance, placement_alone_is_found_as_placement) {
  const auto table = variance_table(runs_of({.placement = 0.02}));
  EXPECT_NEAR(mean_sd(table, Level::placement), 0.02, 0.0006);
  EXPECT_LT(mean_sd(table, Level::revisit), 0.001);
  EXPECT_LT(mean_sd(table, Level::process), 0.003);
  EXPECT_LT(mean_sd(table, Level::run), 0.003);
  EXPECT_EQ(table[0].of(Level::launch).variance, 0);
  EXPECT_GE(variance_by_metric(table)[0].dominated_by[2], 200u);
}

TEST(Variance, processes_alone_are_found_as_processes) {
  const auto table = variance_table(runs_of({.process = 0.005}));
  EXPECT_NEAR(mean_sd(table, Level::process), 0.005, 0.0002);
  EXPECT_LT(mean_sd(table, Level::block), 1e-6);
  EXPECT_LT(mean_sd(table, Level::run), 0.0025);
  EXPECT_GE(variance_by_metric(table)[0].dominated_by[4], 200u);
}

TEST(Variance, runs_alone_are_found_as_runs) {
  const auto table = variance_table(runs_of({.run = 0.005}));
  EXPECT_NEAR(mean_sd(table, Level::run), 0.005, 0.0003);
  EXPECT_LT(mean_sd(table, Level::process), 1e-6);
  EXPECT_FALSE(table[0].run_holds_devices);
  EXPECT_EQ(table[0].dominant, Level::run);
  EXPECT_TRUE(std::isnan(table[0].of(Level::block).in_estimate));  // only its parts are reported
}

TEST(Variance, all_levels_together_are_told_apart) {
  const Planted planted{.launch = 0.008,
                        .block = 0.004,
                        .placement = 0.01,
                        .process = 0.006,
                        .run = 0.008,
                        .slope_per_s = 0.1,
                        .cases = 600};
  const auto table = variance_table(runs_of(planted));
  EXPECT_NEAR(mean_sd(table, Level::launch), 0.008, 0.0003);
  EXPECT_NEAR(mean_sd(table, Level::revisit), std::hypot(0.004, 0.008 * std::sqrt(0.138)), 0.0002);
  EXPECT_NEAR(mean_sd(table, Level::placement), 0.01, 0.0003);
  EXPECT_NEAR(mean_sd(table, Level::process), 0.006, 0.0003);
  EXPECT_NEAR(mean_sd(table, Level::run), 0.008, 0.0006);
  EXPECT_NEAR(mean_change(table), 0.015, 0.0005);
}

TEST(Variance, blocks_of_unequal_numbers_and_sizes_do_not_bias_it) {
  Runs runs = runs_of({.launch = 0.002, .placement = 0.01, .process = 0.006, .cases = 600});
  change_rows(runs, [](ResultRow& row) {
    const std::size_t keep = row.round == 0 ? 4 : row.round == 1 ? 9 : 16;
    SampleSet fewer;
    for (std::size_t i = 0; i < keep; ++i) fewer.add_block(row.samples.block(i).first(3 + i % 7));
    row.samples = fewer;
    row.block_times_s.resize(keep);
    row.block_placements.resize(keep);
  });
  const auto table = variance_table(runs);
  EXPECT_NEAR(mean_sd(table, Level::launch), 0.002, 0.0001);
  EXPECT_NEAR(mean_sd(table, Level::placement), 0.01, 0.0004);
  EXPECT_NEAR(mean_sd(table, Level::process), 0.006, 0.0003);
}

TEST(Variance, the_shares_of_the_levels_add_up_to_the_scatter_of_whole_estimates) {
  const Planted planted{
      .launch = 0.02, .block = 0.005, .placement = 0.01, .process = 0.01, .run = 0.01, .runs = 8};
  double between = 0, told = 0;
  for (const CaseVariance& row : variance_table(runs_of(planted))) {
    std::vector<double> logs;
    for (const double value : row.estimates) logs.push_back(std::log(value));
    between += variance(logs);
    for (const Level level :
         {Level::launch, Level::revisit, Level::placement, Level::process, Level::run})
      told += row.of(level).in_estimate;
  }
  EXPECT_NEAR(told / between, 1, 0.15);  // truncation at 0 adds a little
}

TEST(Variance, a_trend_is_found_with_its_error_and_its_sign) {
  const auto table = variance_table(runs_of({.block = 0.004, .slope_per_s = -0.2, .cases = 200}));
  EXPECT_NEAR(mean_change(table), -0.03, 0.0005);
  EXPECT_NEAR(table[0].trend.per_second, -0.2, 0.03);
  std::size_t within = 0;
  for (const CaseVariance& row : table)
    within += std::abs(row.trend.change + 0.03) < 2.2 * row.trend.error;  // t, 11 df: 95 %
  EXPECT_GE(within, 180u);
  EXPECT_LE(within, 199u);
  EXPECT_EQ(table[0].trend.falling, 12u);
  EXPECT_EQ(table[0].trend.rising, 0u);
  EXPECT_NEAR(table[0].trend.sign_p, 2 * std::pow(0.5, 12), 1e-9);
  EXPECT_LT(mean_sd(table, Level::block), 0.0042);  // not mistaken for placements
  EXPECT_NEAR(std::sqrt(table[0].trend.variance), 0.2 * 0.01 * std::sqrt(16 * 17 / 12.), 0.001);
}

TEST(Variance, without_a_trend_a_quarter_of_the_cases_and_no_more_look_like_one) {
  const auto table = variance_table(runs_of({.block = 0.004, .placement = 0.01}));
  std::size_t beyond = 0, explained = 0;
  for (const CaseVariance& row : table) {
    beyond += std::abs(row.trend.change) > 2.2 * row.trend.error;
    explained += std::sqrt(row.trend.variance) > 0.006;
  }
  EXPECT_LE(beyond, 30u);
  EXPECT_LE(explained, 5u);
  EXPECT_GT(table[0].trend.sign_p, 0.01);
}

TEST(Variance, the_fit_of_a_single_visit_has_an_error_too) {
  const auto table = variance_table(
      runs_of({.block = 0.004, .slope_per_s = 0.2, .runs = 1, .rounds = 1, .cases = 300}));
  std::size_t within = 0;
  for (const CaseVariance& row : table)
    within += std::abs(row.trend.change - 0.03) < 2.14 * row.trend.error;
  EXPECT_GE(within, 275u);
  EXPECT_LE(within, 298u);
}

TEST(Variance, without_revisits_placement_and_blocks_are_not_told_apart) {
  const auto table = variance_table(runs_of({.placement = 0.01, .revisit_every = 0, .cases = 100}));
  expect_unknown(table[0], {Level::revisit, Level::placement});
  EXPECT_NEAR(mean_sd(table, Level::block), 0.01, 0.0003);
  EXPECT_LT(mean_sd(table, Level::process), 0.0025);
  EXPECT_EQ(table[0].of(Level::revisit).df, 0);
  EXPECT_EQ(variance_by_metric(table)[0].dominated_by[static_cast<std::size_t>(Level::placement)],
            0u);
  EXPECT_GE(variance_by_metric(table)[0].dominated_by[static_cast<std::size_t>(Level::block)], 50u);
}

TEST(Variance, runs_that_did_not_record_placements_have_a_block_variance_only) {
  Runs runs = runs_of({.placement = 0.01, .cases = 100});
  change_rows(runs, [](ResultRow& row) { row.block_placements.clear(); });
  const auto table = variance_table(runs);
  expect_unknown(table[0], {Level::revisit, Level::placement});
  EXPECT_NEAR(mean_sd(table, Level::block), 0.01, 0.0006);
}

TEST(Variance, one_placement_for_all_blocks_says_nothing_of_placement) {
  Runs runs = runs_of({.block = 0.01, .cases = 100});
  change_rows(runs, [](ResultRow& row) { row.block_placements.assign(row.samples.blocks(), 7); });
  const auto table = variance_table(runs);
  expect_unknown(table[0], {Level::placement});
  EXPECT_NEAR(mean_sd(table, Level::revisit), 0.01, 0.0003);
}

TEST(Variance, one_round_and_one_run_tell_nothing_of_processes_and_runs) {
  const CaseVariance one =
      variance_table(runs_of({.block = 0.01, .runs = 1, .rounds = 1, .cases = 1}))[0];
  expect_unknown(one, {Level::process, Level::run});
  EXPECT_GT(one.of(Level::block).variance, 0);
  const CaseVariance rounds = variance_table(runs_of({.block = 0.01, .runs = 1, .cases = 1}))[0];
  expect_unknown(rounds, {Level::run});
  EXPECT_EQ(rounds.of(Level::process).df, 2);
  // Two runs of one round: the parts of processes and runs cannot be separated.
  expect_unknown(variance_table(runs_of({.process = 0.01, .runs = 2, .rounds = 1, .cases = 1}))[0],
                 {Level::process, Level::run});
}

TEST(Variance, one_block_and_one_sample_tell_nothing_below_the_visit) {
  const auto table =
      variance_table(runs_of({.run = 0.01, .blocks = 1, .samples = 1, .cases = 200}));
  expect_unknown(table[0],
                 {Level::launch, Level::revisit, Level::placement, Level::block, Level::process});
  EXPECT_NEAR(mean_sd(table, Level::run), 0.01, 0.001);
  EXPECT_TRUE(std::isnan(table[0].trend.change));
  EXPECT_TRUE(std::isnan(table[0].trend.sign_p));
}

TEST(Variance, few_blocks_have_no_trend_and_keep_their_variance) {
  const auto table =
      variance_table(runs_of({.block = 0.01, .blocks = 3, .revisit_every = 0, .cases = 200}));
  EXPECT_TRUE(std::isnan(table[0].trend.change));
  EXPECT_NEAR(mean_sd(table, Level::block), 0.01, 0.0004);
  EXPECT_EQ(table[0].of(Level::block).df, 4 * 3 * 2);
}

TEST(Variance, blocks_that_are_set_aside_change_nothing) {
  const Planted planted{.launch = 0.01, .placement = 0.01, .process = 0.003, .cases = 5};
  const auto clean = variance_table(runs_of(planted));
  Runs runs = runs_of(planted);
  change_rows(runs, [](ResultRow& row) {
    const double slow[] = {7e-5, 9e-5};
    row.samples.add_block(slow);
    row.block_times_s.push_back(0.5);
    row.block_placements.push_back(row.block_placements[0]);
    row.block_causes.assign(row.samples.blocks() - 1, "");
    row.block_causes.push_back("thermal");
  });
  const auto table = variance_table(runs);
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i].set_aside, 12u);
    EXPECT_EQ(table[i].blocks, clean[i].blocks);
    EXPECT_EQ(table[i].trend.change, clean[i].trend.change);
    for (const Level level :
         {Level::launch, Level::revisit, Level::placement, Level::process, Level::run})
      EXPECT_EQ(table[i].of(level).variance, clean[i].of(level).variance) << name_of(level);
  }
}

TEST(Variance, a_few_wild_launches_are_not_what_the_median_sees) {
  Runs runs = runs_of({.launch = 0.005, .cases = 50});
  change_rows(runs, [](ResultRow& row) {
    SampleSet wild;
    for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
      std::vector<double> block(row.samples.block(i).begin(), row.samples.block(i).end());
      block[i % block.size()] *= 5;
      wild.add_block(block);
    }
    row.samples = wild;
  });
  EXPECT_NEAR(mean_sd(variance_table(runs), Level::launch), 0.005, 0.0018);
}

TEST(Variance, a_metric_that_one_run_lacks_is_told_from_the_others) {
  Runs runs = runs_of({.block = 0.01, .runs = 2, .cases = 2});
  std::erase_if(runs[0].rows, [](const ResultRow& row) { return row.case_id.ends_with("n=1"); });
  const auto table = variance_table(runs);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[1].case_id, "op/libtorch/n=1");
  EXPECT_TRUE(std::isnan(table[1].estimates[0]));
  EXPECT_GT(table[1].estimates[1], 0);
  expect_unknown(table[1], {Level::run});
  EXPECT_GT(table[1].of(Level::block).variance, 0);
  EXPECT_FALSE(std::isnan(table[0].of(Level::run).variance));
}

TEST(Variance, empty_runs_give_an_empty_table) {
  EXPECT_TRUE(variance_table({}).empty());
  Runs runs{planted::run_on("NVIDIA H200")};
  EXPECT_TRUE(variance_table(runs).empty());
  planted::add_status(runs[0], "op/libtorch/n=1", Status::wrong, "off by one");
  EXPECT_TRUE(variance_table(runs).empty());
  EXPECT_TRUE(variance_by_metric({}).empty());
}

TEST(Variance, what_is_zero_has_no_relative_spread_and_says_so) {
  Runs runs{planted::run_on("NVIDIA H200")};
  planted::add_case(runs[0], "op/libtorch/n=1", 0, 0, "leaked_memory");
  const auto table = variance_table(runs);
  ASSERT_EQ(table.size(), 1u);
  EXPECT_FALSE(table[0].reason.empty());
  EXPECT_FALSE(table[0].dominant);
  expect_unknown(table[0], {Level::launch, Level::block, Level::process});
}

TEST(Variance, runs_on_two_devices_are_marked_and_of_two_device_classes_refused) {
  Runs runs = runs_of({.run = 0.01, .runs = 2, .cases = 1});
  change_rows(runs, [](ResultRow& row) { row.device = "GPU-a"; });
  EXPECT_FALSE(variance_table(runs)[0].run_holds_devices);
  for (ResultRow& row : runs[1].rows) row.device = "GPU-b";
  EXPECT_TRUE(variance_table(runs)[0].run_holds_devices);
  runs[1].info.environment.device_class = "NVIDIA A100";
  EXPECT_THROW(variance_table(runs), Error);
  runs[1].info.environment.device_class = runs[0].info.environment.device_class;
  runs[1].info.measurement_revision += 1;
  EXPECT_THROW(variance_table(runs), Error);
}

TEST(Variance, rows_are_by_suite_and_case_whatever_the_order_of_measuring) {
  Runs runs = runs_of({.launch = 0.01});
  for (plumbline::Run& run : runs) std::ranges::reverse(run.rows);
  const auto table = variance_table(runs);
  EXPECT_TRUE(std::ranges::is_sorted(table, in_natural_order, &CaseVariance::case_id));
}

TEST(Variance, another_revision_of_a_case_is_another_row) {
  Runs runs = runs_of({.block = 0.01, .runs = 2, .cases = 1});
  for (ResultRow& row : runs[1].rows) row.revision = "9";
  const auto table = variance_table(runs);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[1].revision, "9");
}

TEST(Variance, medians_over_cases_leave_out_what_is_unknown) {
  std::vector<CaseVariance> table(3);
  for (CaseVariance& row : table) row.metric = "gpu_time_hot";
  table[0].of(Level::process).variance = 0.0004;
  table[1].of(Level::process).variance = 0.0016;
  table[0].trend.change = -0.03;
  table[2].dominant = Level::process;
  const auto metrics = variance_by_metric(table);
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_EQ(metrics[0].cases, 3u);
  EXPECT_NEAR(metrics[0].sd[static_cast<std::size_t>(Level::process)], 0.03, 1e-12);
  EXPECT_TRUE(std::isnan(metrics[0].sd[static_cast<std::size_t>(Level::run)]));
  EXPECT_EQ(metrics[0].trend, 0.03);
  EXPECT_EQ(metrics[0].dominated_by[static_cast<std::size_t>(Level::process)], 1u);
}

}  // namespace
}  // namespace plumbline
