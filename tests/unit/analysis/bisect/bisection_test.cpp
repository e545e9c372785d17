#include "analysis/bisect/bisection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "unit/analysis/bisect/simulated_history.h"

namespace plumbline {
namespace {

using simulated::History;
using simulated::Searched;

/// A step of `change` at one commit.
History stepped(std::size_t commits, std::size_t commit, double change) {
  History history{std::vector<double>(commits + 1)};
  for (std::size_t i = commit; i <= commits; ++i) history.levels[i] = change;
  return history;
}

/// Pairs that scatter very little around the change, the same for each call.
std::vector<double> quiet_pairs(std::size_t count, double change) {
  std::vector<double> log_ratios(count);
  for (std::size_t i = 0; i < count; ++i) log_ratios[i] = change + 1e-5 * (double(i * 7 % 11) - 5);
  return log_ratios;
}

Searched search_quietly(const History& history, const BisectRule& rule = {}) {
  std::size_t drawn = 0;
  return simulated::search(Bisection(history.levels.size() - 1, rule), history, [&](double change) {
    return change + 1e-5 * (double(drawn++ * 7 % 11) - 5);
  });
}

TEST(Bisection, measures_good_against_bad_first) {
  const Bisection bisection(64);
  EXPECT_EQ(bisection.next(), (PairsWanted{0, 64, 6}));
  EXPECT_EQ(bisection.result().kind, BisectKind::cannot_tell);
  EXPECT_FALSE(bisection.result().commits);
}

TEST(Bisection, finds_each_commit_of_a_quiet_history) {
  for (const std::size_t commits : {1, 2, 3, 7, 64})
    for (std::size_t commit = 1; commit <= commits; ++commit) {
      const Searched found = search_quietly(stepped(commits, commit, -0.02));
      EXPECT_EQ(found.result.kind, BisectKind::one_step);
      EXPECT_EQ(found.result.commits, (CommitRange{commit, commit})) << commits;
      EXPECT_NEAR(found.result.own->center, -0.02, 1e-4);
      EXPECT_LT(found.result.own->low, found.result.own->high);
      EXPECT_NEAR(found.result.share->center, 1, 0.01);
    }
}

TEST(Bisection, does_not_search_for_a_change_below_the_threshold) {
  Bisection bisection(4);
  bisection.add(0, 4, quiet_pairs(6, 0.02));
  EXPECT_TRUE(bisection.next());
  bisection.set_threshold(0.03);
  EXPECT_FALSE(bisection.next());
  EXPECT_EQ(bisection.result().kind, BisectKind::none);
  EXPECT_THROW(bisection.set_threshold(-0.01), Error);
}

TEST(Bisection, of_one_commit_measures_it_once) {
  const Searched found = search_quietly(stepped(1, 1, 0.02));
  EXPECT_EQ(found.pairs, 6u);
  EXPECT_EQ(found.result.comparisons.size(), 1u);
  EXPECT_EQ(found.result.share->low, 1);
}

TEST(Bisection, builds_each_position_once_and_8_of_64_commits) {
  for (std::size_t commit = 1; commit <= 64; ++commit)
    EXPECT_LE(search_quietly(stepped(64, commit, 0.02)).builds.size(), 8u) << commit;
}

TEST(Bisection, does_not_measure_a_pair_of_positions_again) {
  // Commit 1: the last comparison is GOOD against position 1, which the search has measured.
  const Searched found = search_quietly(stepped(4, 1, 0.02));
  EXPECT_EQ(found.pairs, 3 * 6u);
  EXPECT_EQ(found.result.comparisons.size(), 3u);
}

TEST(Bisection, counts_pairs_that_came_before_they_were_wanted) {
  Bisection bisection(2);
  bisection.add(0, 1, quiet_pairs(6, 0.02));
  EXPECT_EQ(bisection.next(), (PairsWanted{0, 2, 6}));
  bisection.add(0, 2, quiet_pairs(4, 0.02));
  EXPECT_EQ(bisection.next(), (PairsWanted{0, 2, 2}));
  bisection.add(0, 2, quiet_pairs(2, 0.02));
  EXPECT_FALSE(bisection.next());
  EXPECT_EQ(bisection.result().commits, (CommitRange{1, 1}));
}

TEST(Bisection, judges_a_look_by_its_own_number_of_pairs) {
  std::vector<double> log_ratios{0.0201, 0.0202, 0.0199, 0.0198, 0.0203, 0.0197};
  Bisection bisection(1);
  const Interval expected = mean_interval(log_ratios, 1 - bisection.level());
  log_ratios.insert(log_ratios.end(), 3, 0.5);  // they belong to the next look
  bisection.add(0, 1, log_ratios);
  const BisectResult found = bisection.result();
  ASSERT_EQ(found.comparisons.size(), 1u);
  EXPECT_EQ(found.comparisons[0].pairs, 6u);
  EXPECT_DOUBLE_EQ(found.total->low, expected.low);
  EXPECT_DOUBLE_EQ(found.total->high, expected.high);
}

TEST(Bisection, takes_the_nearest_position_if_one_is_skipped) {
  Bisection bisection(64);
  bisection.add(0, 64, quiet_pairs(6, 0.02));
  EXPECT_EQ(bisection.next(), (PairsWanted{0, 32, 6}));
  bisection.skip(32);
  const auto wanted = bisection.next();
  ASSERT_TRUE(wanted);
  EXPECT_TRUE(wanted->candidate == 31 || wanted->candidate == 33);
}

TEST(Bisection, measures_no_more_positions_if_many_are_skipped) {
  for (std::size_t commit = 1; commit <= 64; ++commit) {
    History history = stepped(64, commit, 0.02);
    for (std::size_t i = 1; i < 64; ++i)
      if (i * i % 7 == 2) history.unbuildable.insert(i);
    const Searched found = search_quietly(history);
    EXPECT_LE(found.builds.size(), 8u) << commit;
    EXPECT_LE(found.result.commits->first, commit);
    EXPECT_GE(found.result.commits->last, commit);
    EXPECT_LE(found.result.commits->last - found.result.commits->first, 2u);
  }
}

TEST(Bisection, names_a_range_if_positions_are_skipped) {
  History history = stepped(16, 7, 0.02);
  history.unbuildable = {5, 6, 7, 12};
  const Searched found = search_quietly(history);
  EXPECT_EQ(found.result.kind, BisectKind::one_step);
  EXPECT_EQ(found.result.commits, (CommitRange{5, 8}));
}

TEST(Bisection, names_all_commits_if_all_positions_are_skipped) {
  History history = stepped(8, 3, 0.02);
  for (std::size_t i = 1; i < 8; ++i) history.unbuildable.insert(i);
  const Searched found = search_quietly(history);
  EXPECT_EQ(found.result.commits, (CommitRange{1, 8}));
  EXPECT_EQ(found.failed_builds, 7u);
  EXPECT_EQ(found.pairs, 6u);
}

TEST(Bisection, goes_on_after_a_replay_as_if_it_had_never_stopped) {
  const History history = stepped(64, 23, 0.02);
  struct Observation {
    PairsWanted of;
    std::vector<double> log_ratios;  // none: the candidate was skipped
  };
  std::vector<Observation> stored;
  Bisection bisection(64);
  while (const auto wanted = bisection.next()) {
    Bisection again(64);
    for (const auto& [of, log_ratios] : stored)
      if (log_ratios.empty())
        again.skip(of.candidate);
      else
        again.add(of.baseline, of.candidate, log_ratios);
    EXPECT_EQ(again.next(), wanted);
    if (wanted->candidate == 24) {
      bisection.skip(24);
      stored.push_back({*wanted, {}});
      continue;
    }
    // One pair fewer than was wanted: it may be lost.
    const std::size_t count = wanted->pairs > 1 ? wanted->pairs - 1 : 1;
    const double change = history.levels[wanted->candidate] - history.levels[wanted->baseline];
    stored.push_back({*wanted, quiet_pairs(count, change)});
    bisection.add(wanted->baseline, wanted->candidate, stored.back().log_ratios);
  }
  EXPECT_TRUE(std::ranges::any_of(stored, [](const auto& one) { return one.log_ratios.empty(); }));
  EXPECT_EQ(bisection.result().commits, (CommitRange{23, 23}));
}

TEST(Bisection, tells_that_there_is_no_change) {
  const Searched found = search_quietly(stepped(64, 10, 0.001));
  EXPECT_EQ(found.result.kind, BisectKind::none);
  EXPECT_FALSE(found.result.commits);
  EXPECT_EQ(found.builds.size(), 2u);
}

TEST(Bisection, cannot_tell_what_noise_hides) {
  std::size_t drawn = 0;
  const auto loud = [&](double change) { return change + 0.1 * (double(drawn++ * 7 % 11) - 5); };
  const Searched found = simulated::search(Bisection(64), stepped(64, 10, 0.02), loud);
  EXPECT_EQ(found.result.kind, BisectKind::cannot_tell);
  EXPECT_EQ(found.pairs, 96u);
  EXPECT_FALSE(found.result.commits);
  EXPECT_TRUE(found.result.total);
}

TEST(Bisection, tells_a_drift) {
  History history{std::vector<double>(65)};
  for (std::size_t i = 0; i <= 64; ++i) history.levels[i] = 0.02 * double(i) / 64;
  EXPECT_EQ(search_quietly(history).result.kind, BisectKind::several);
}

TEST(Bisection, names_the_larger_of_two_changes_and_its_share) {
  History history = stepped(64, 20, 0.03);
  for (std::size_t i = 50; i <= 64; ++i) history.levels[i] += 0.01;
  const Searched found = search_quietly(history);
  EXPECT_EQ(found.result.kind, BisectKind::several);
  EXPECT_EQ(found.result.commits, (CommitRange{20, 20}));
  EXPECT_NEAR(found.result.share->center, 0.75, 0.01);
}

TEST(Bisection, tells_a_change_that_was_mostly_taken_back) {
  History history = stepped(64, 20, 0.03);
  for (std::size_t i = 50; i <= 64; ++i) history.levels[i] -= 0.02;
  const Searched found = search_quietly(history);
  EXPECT_EQ(found.result.kind, BisectKind::taken_back);
  EXPECT_EQ(found.result.commits, (CommitRange{20, 20}));
  EXPECT_NEAR(found.result.share->center, 3, 0.05);
}

TEST(Bisection, sees_a_change_that_was_taken_back_and_made_again_by_its_checks) {
  History history = stepped(64, 10, 0.02);
  for (std::size_t i = 40; i < 56; ++i) history.levels[i] = 0;
  const Searched alone = search_quietly(history);
  EXPECT_EQ(alone.result.kind, BisectKind::one_step);
  EXPECT_EQ(alone.result.commits, (CommitRange{10, 10}));
  BisectRule rule;
  rule.checks = 1;  // at 48, in the middle of the widest gap
  const Searched checked = search_quietly(history, rule);
  EXPECT_EQ(checked.result.kind, BisectKind::taken_back);
  EXPECT_EQ(checked.result.commits, (CommitRange{10, 10}));
  EXPECT_EQ(checked.builds.size(), alone.builds.size() + 1);
}

TEST(Bisection, splits_the_error_rate_over_all_intervals) {
  EXPECT_DOUBLE_EQ(Bisection(64).level(), 0.01 / (2 + 6) / 5);
  EXPECT_DOUBLE_EQ(Bisection(65).level(), 0.01 / (2 + 7) / 5);
  BisectRule rule;
  rule.checks = 2;
  EXPECT_DOUBLE_EQ(Bisection(1, rule).level(), 0.01 / (2 + 2) / 5);
}

TEST(Bisection, refuses_what_it_cannot_use) {
  EXPECT_THROW(Bisection(0), Error);
  BisectRule rule;
  rule.looks = {6, 6};
  EXPECT_THROW(Bisection(4, rule), Error);
  rule = {};
  rule.error_rate = 0;
  EXPECT_THROW(Bisection(4, rule), Error);
  Bisection bisection(4);
  EXPECT_THROW(bisection.add(2, 2, {}), Error);
  EXPECT_THROW(bisection.add(0, 5, {}), Error);
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(bisection.add(0, 4, {&not_a_number, 1}), Error);
  EXPECT_THROW(bisection.skip(0), Error);
  EXPECT_THROW(bisection.skip(4), Error);
}

}  // namespace
}  // namespace plumbline
