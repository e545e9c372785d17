// Blocks that are sometimes slow while the median stays the same. Seeded.
#include "analysis/estimate/tails.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/compare/compare.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

/// Nights as in the published error rates; two normal deviations are 95 %.
const planted::Noise kNights{.block_sd_spread = 0.587, .blocks = 32};

/// Cases of equal times, with the scatter of the seed and of the case.
plumbline::Run measured(std::size_t cases, std::uint64_t seed, const planted::Noise& noise) {
  std::mt19937_64 of_cases(9), random(seed);
  const std::vector<double> sds = planted::block_sds(cases, noise, of_cases);
  return planted::simulate(std::vector<double>(cases, 1), sds, noise, random);
}

/// Every `step`-th block of the first case takes `factor` times as long.
void slow_down(plumbline::Run& run, std::size_t step, double factor) {
  for (ResultRow& row : run.rows) {
    if (!row.case_id.ends_with("n=0")) continue;
    SampleSet samples;
    for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
      const double block[] = {row.samples.block(i)[0] * (i % step == 0 ? factor : 1)};
      samples.add_block(block);
    }
    row.samples = samples;
  }
}

Comparison compared(const Run& before, const Run& after) {
  return compare(before, after, default_rule("cuda"));
}

std::vector<DistributionChange> tails_told(const Comparison& made) {
  std::vector<DistributionChange> tails = made.distribution_changes;
  std::erase_if(tails, [](const auto& found) { return found.kind != DistributionKind::tail; });
  return tails;
}

constexpr planted::Noise kQuiet{.block_sd = 0.005, .blocks = 32};

TEST(Tails, that_got_slower_behind_a_median_that_stays_are_a_finding_and_no_alarm) {
  plumbline::Run after = measured(40, 2, kQuiet);
  slow_down(after, 12, 1.15);  // 3 of 32 blocks
  const Comparison made = compared(measured(40, 1, kQuiet), after);
  ASSERT_EQ(tails_told(made).size(), 1u);
  const std::vector<std::string> told = distribution_lines(made.distribution_changes);
  EXPECT_EQ(tails_told(made)[0].case_id, "op0/libtorch/n=0");
  EXPECT_GT(tails_told(made)[0].change_low, 0);
  EXPECT_LE(tails_told(made)[0].adjusted_p, made.rule.false_discovery_rate);
  EXPECT_TRUE(
      told[0].starts_with("Tail: op0/libtorch/n=0, gpu_time_cold: the 95th percentile of "
                          "its blocks is 1"))
      << told[0];
  EXPECT_TRUE(told[0].ends_with("the median stays.")) << told[0];
  EXPECT_EQ(exit_code(made), 0);
}

TEST(Tails, that_move_with_their_median_or_got_shorter_are_not_told) {
  plumbline::Run slower = measured(40, 2, kQuiet), before = measured(40, 1, kQuiet);
  slow_down(slower, 1, 1.15);
  const Comparison made = compared(before, slower);
  EXPECT_EQ(made.count(Verdict::slower), 1u);
  EXPECT_TRUE(tails_told(made).empty());
  slow_down(before, 12, 1.15);
  EXPECT_TRUE(tails_told(compared(before, measured(40, 2, kQuiet))).empty());
}

TEST(Tails, of_few_blocks_say_nothing) {
  const planted::Noise few{.block_sd = 0.005, .blocks = 19};
  plumbline::Run after = measured(40, 2, few);
  slow_down(after, 9, 1.15);
  EXPECT_TRUE(tails_told(compared(measured(40, 1, few), after)).empty());
}

TEST(Tails, of_ten_thousand_unchanged_cases_give_less_than_half_a_note_a_night) {
  std::size_t told = 0;
  for (std::uint64_t night = 1; night <= 4; ++night)
    told += tails_told(
                compared(measured(10'000, night, kNights), measured(10'000, night + 100, kNights)))
                .size();
  EXPECT_LE(told, 2u);
}

}  // namespace
}  // namespace plumbline
