// Cases whose processes are in one of two modes, and how often. Seeded.
#include "analysis/estimate/mode_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/compare/compare.h"
#include "unit/analysis/past_nights.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

constexpr double kGap = 0.05, kLeastGap = 0.0198;

class Nights {
 public:
  explicit Nights(std::uint64_t seed) : random_(seed) {}

  /// Visits of one night: processes 0.25 %, case × night Student t of 0.2 %, a share of `slow` in
  /// the slower mode.
  RunVisitLogs night(int visits, double slow, double level = 0) {
    const double of_night = level + 0.002 * student_(random_);
    RunVisitLogs logs;
    for (int i = 0; i < visits; ++i)
      logs.push_back(of_night + 0.0031 * normal_(random_) + (uniform_(random_) < slow ? kGap : 0));
    return logs;
  }
  std::vector<RunVisitLogs> nights(int count, int visits, double slow) {
    std::vector<RunVisitLogs> all;
    for (int i = 0; i < count; ++i) all.push_back(night(visits, slow));
    return all;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::student_t_distribution<double> student_{4};
};

TEST(TwoModes, of_processes_are_told_with_their_gap) {
  Nights world(1);
  const auto modes = two_modes(world.nights(20, 3, 0.4), kLeastGap);
  ASSERT_TRUE(modes);
  EXPECT_NEAR(modes->gap, kGap, 0.004);
  const ModeCounts counts = counts_in(*modes, world.nights(200, 3, 0.4));
  EXPECT_NEAR(counts.share(), 0.4, 0.06);
}

TEST(TwoModes, are_none_in_ten_thousand_cases_with_one) {
  Nights world(2);
  int told = 0;
  for (int i = 0; i < 10'000; ++i) told += two_modes(world.nights(30, 3, 0), kLeastGap).has_value();
  EXPECT_EQ(told, 0);
}

TEST(TwoModes, are_none_where_a_case_got_slower_one_day) {
  Nights world(3);
  auto runs = world.nights(15, 3, 0);
  for (const RunVisitLogs& run : world.nights(15, 3, 1)) runs.push_back(run);
  EXPECT_FALSE(two_modes(runs, kLeastGap));
}

TEST(TwoModes, are_not_told_from_few_visits) {
  Nights world(4);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(two_modes(world.nights(2, 3, 0.5), kLeastGap));
}

TEST(ModeChange, is_found_along_a_history_where_the_slower_mode_becomes_the_rule) {
  int found = 0, near = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Nights world(seed);
    auto runs = world.nights(25, 3, 0.3);
    for (const RunVisitLogs& run : world.nights(15, 3, 0.9)) runs.push_back(run);
    const auto change = mode_change(runs, kLeastGap);
    if (!change || change->p_value > 0.01) continue;
    ++found;
    near += change->at >= 22 && change->at <= 28;
    EXPECT_GT(change->now.share(), change->before.share());
  }
  EXPECT_GE(found, 95);
  EXPECT_GE(near, 85);
}

TEST(ModeChange, of_histories_without_one_is_told_as_rarely_as_its_p_value_says) {
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Nights world(seed);
    const auto change = mode_change(world.nights(40, 3, 0.5), kLeastGap);
    ASSERT_TRUE(change);
    told += change->p_value <= 0.01;
  }
  EXPECT_LE(told, 15);
}

std::vector<DistributionChange> changes_of(const std::vector<ModeTrial>& trials) {
  std::vector<Finding> findings(1);
  findings[0].case_id = "c";
  return mode_changes(trials, default_rule("cuda"), findings);
}

/// Trials of 200 cases with modes; in `changed` of them the slow share goes from half to all
/// visits.
std::vector<ModeTrial> trials_of(Nights& world, int visits, int changed) {
  std::vector<ModeTrial> trials;
  for (int i = 0; i < 200; ++i) {
    auto runs = world.nights(30, 3, 0.5);
    runs.push_back(world.night(visits, i < changed ? 1 : 0.5));
    const auto trial = mode_trial(runs, kLeastGap, 0);
    if (trial) trials.push_back(*trial);
  }
  EXPECT_GE(trials.size(), 190u) << "bad nights hide the modes of few cases";
  return trials;
}

TEST(ModeWeights, of_unchanged_cases_raise_no_alarm_in_twenty_nights) {
  Nights world(5);
  std::size_t told = 0;
  for (int night = 0; night < 20; ++night)
    for (const int visits : {3, 12}) told += changes_of(trials_of(world, visits, 0)).size();
  EXPECT_LE(told, 1u);
}

TEST(ModeWeights, that_changed_are_found_with_visits_enough_and_not_claimed_from_three) {
  Nights world(6);
  EXPECT_GE(changes_of(trials_of(world, 24, 20)).size(), 18u);
  const auto few = trials_of(world, 3, 20);
  EXPECT_TRUE(changes_of(few).empty());
  EXPECT_FALSE(could_show_change(few.front(), 0.01));
  EXPECT_TRUE(could_show_change(trials_of(world, 12, 0).front(), 0.01));
}

/// Forty cases; the first has two modes, with a share of `slow` of its visits in the slower one.
Run run_of(Nights& world, int visits, double slow, double factor = 1) {
  Run run = planted::run_on("NVIDIA H200");
  for (int i = 0; i < 40; ++i) {
    const RunVisitLogs logs = world.night(visits, i == 0 ? slow : 0, std::log(1e-5 * factor));
    for (int round = 0; round < visits; ++round)
      planted::add_visit(run, "op" + std::to_string(i % 4) + "/libtorch/n=" + std::to_string(i),
                         round, std::exp(logs[std::size_t(round)]));
  }
  return run;
}

TEST(ModeWeights, of_two_long_runs_are_a_finding_that_sets_no_exit_code) {
  Nights world(7);
  const plumbline::Run before = run_of(world, 24, 0.3);
  // Half of a gap of 5 % is about the effect floor: the verdict still follows from the mean.
  const Comparison made = compare(before, run_of(world, 24, 1), default_rule("cuda"));
  ASSERT_EQ(made.distribution_changes.size(), 1u);
  const DistributionChange& change = made.distribution_changes[0];
  EXPECT_EQ(change.kind, DistributionKind::modes);
  EXPECT_EQ(change.case_id, "op0/libtorch/n=0");
  EXPECT_EQ(change.now, 1);
  EXPECT_NEAR(change.gap, std::expm1(kGap), 0.004);
  EXPECT_GT(change.change_low, 0);
  Comparison without = made;
  without.distribution_changes.clear();
  EXPECT_EQ(exit_code(made), exit_code(without));
  EXPECT_TRUE(
      compare(before, run_of(world, 24, 0.3), default_rule("cuda")).distribution_changes.empty());
}

TEST(ModeWeights, are_not_changed_by_a_shift_of_the_run) {
  Nights world(8);
  const Comparison made =
      compare(run_of(world, 24, 0.5), run_of(world, 24, 0.5, 1.04), default_rule("cuda"));
  EXPECT_TRUE(made.shift);
  EXPECT_TRUE(made.distribution_changes.empty());
}

TEST(ModeWeights, take_the_visits_of_earlier_runs_and_say_where_three_show_nothing) {
  Nights world(9);
  auto summaries = nights(30, 40, [](int, int) { return 1e-5; });
  for (RunSummary& summary : summaries) {
    summary.run.device_uuid = "GPU-1";
    for (std::size_t i = 0; i < summary.rows.size(); ++i) {
      summary.rows[i].case_id = "op" + std::to_string(i % 4) + "/libtorch/n=" + std::to_string(i);
      for (const double log : world.night(3, i == 0 ? 0.5 : 0, std::log(1e-5)))
        summary.rows[i].visit_means.push_back(std::exp(log));
    }
  }
  const History history = make_history(summaries);
  CompareOptions options;
  options.history = &history;
  const auto compared = [&](int visits, double slow) {
    return compare(run_of(world, 3, 0.5), run_of(world, visits, slow), default_rule("cuda"),
                   options);
  };
  const auto says_few = [](const Comparison& made) {
    return std::ranges::any_of(made.notes, [](const std::string& note) {
      return note.find("this run's few visits cannot show") != std::string::npos;
    });
  };
  const Comparison few = compared(3, 1), many = compared(24, 1);
  EXPECT_TRUE(few.distribution_changes.empty());
  EXPECT_TRUE(says_few(few));
  ASSERT_EQ(many.distribution_changes.size(), 1u);
  EXPECT_EQ(many.distribution_changes[0].visits_before, 93u);
  EXPECT_FALSE(says_few(many));
}

TEST(ModeWeights, of_a_history_are_told_beside_the_change_that_they_make_of_the_estimates) {
  Nights world(10);
  auto summaries = nights(40, 2, [](int, int) { return 1.0; });
  for (std::size_t night = 0; night < summaries.size(); ++night)
    for (std::size_t i = 0; i < 2; ++i) {
      CaseSummary& row = summaries[night].rows[i];
      // The second case has one mode, and becomes slower by as much as the first.
      const RunVisitLogs logs = i == 0 ? world.night(3, night < 25 ? 0.2 : 0.95)
                                       : world.night(3, 0, night < 25 ? 0 : 0.75 * kGap);
      double sum = 0;
      for (const double log : logs) {
        row.visit_means.push_back(std::exp(log));
        sum += log / 3;
      }
      row.estimate = std::exp(sum);
    }
  const History history = make_history(summaries);
  const SeriesReading modes = read_series(history, history.series[0], {}),
                      step = read_series(history, history.series[1], {});
  EXPECT_EQ(modes.visits, 120u);
  ASSERT_TRUE(modes.modes);
  EXPECT_NEAR(double(modes.modes->at), 25, 3);
  EXPECT_LT(modes.modes->p_value, 1e-6);
  EXPECT_LT(modes.modes->before.share(), 0.35);
  EXPECT_GT(modes.modes->now.share(), 0.85);
  EXPECT_FALSE(step.changes.empty());
  EXPECT_FALSE(step.modes);
}

}  // namespace
}  // namespace plumbline
