// Generated histories with planted changes: how often the right commit is found, and what it costs.
// Seeded, so a failure means that the method changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <vector>

#include "unit/analysis/bisect/simulated_history.h"

namespace plumbline {
namespace {

using simulated::History;
using simulated::Noise;
using simulated::Searched;

constexpr std::size_t kCommits = 64, kHistories = 1000;

/// Draws the plan of a history; the noise has a generator of its own.
class Planner {
 public:
  explicit Planner(std::uint64_t seed) : random_(seed + 1'000'000) {}

  std::size_t position(std::size_t first, std::size_t last) {
    return std::uniform_int_distribution<std::size_t>(first, last)(random_);
  }
  /// Different ones, in rising order.
  std::vector<std::size_t> commits(std::size_t count) {
    std::set<std::size_t> drawn;
    while (drawn.size() < count) drawn.insert(position(1, kCommits));
    return {drawn.begin(), drawn.end()};
  }

  /// Log of a change of 1 to 3 %, slower or faster.
  double change() {
    const double size = std::log1p(std::uniform_real_distribution<double>(0.01, 0.03)(random_));
    return chance(0.5) ? size : -size;
  }
  bool chance(double probability) {
    return std::uniform_real_distribution<double>()(random_) < probability;
  }

 private:
  std::mt19937_64 random_;
};

History flat() { return {std::vector<double>(kCommits + 1)}; }

void plant(History& history, std::size_t commit, double change) {
  for (std::size_t i = commit; i < history.levels.size(); ++i) history.levels[i] += change;
}

struct Counts {
  std::size_t one_step = 0, several = 0, taken_back = 0, none = 0, cannot_tell = 0;
  std::size_t right = 0;        // one step, and the planted commit is in the range
  std::size_t named = 0;        // a commit or a range, as a change
  std::size_t named_wrong = 0;  // … that did not change anything
  std::size_t most_builds = 0, builds = 0, most_failed = 0, failed = 0, pairs = 0, range = 0;

  std::size_t wrong() const { return one_step - right; }
};

/// True if the measured commits hold a change.
bool changed(const History& history, const CommitRange& commits) {
  for (std::size_t i = commits.first; i <= commits.last; ++i)
    if (history.levels[i] != history.levels[i - 1]) return true;
  return false;
}

void count(Counts& sum, const History& history, const Searched& found) {
  const BisectResult& result = found.result;
  sum.one_step += result.kind == BisectKind::one_step;
  sum.several += result.kind == BisectKind::several;
  sum.taken_back += result.kind == BisectKind::taken_back;
  sum.none += result.kind == BisectKind::none;
  sum.cannot_tell += result.kind == BisectKind::cannot_tell;
  const bool names = result.kind != BisectKind::none && result.kind != BisectKind::cannot_tell;
  sum.named += names;
  sum.named_wrong += names && !changed(history, *result.commits);
  if (result.kind == BisectKind::one_step) {
    sum.right += changed(history, *result.commits);
    sum.range += result.commits->last - result.commits->first + 1;
  }
  sum.most_builds = std::max(sum.most_builds, found.builds.size());
  sum.builds += found.builds.size();
  sum.most_failed = std::max(sum.most_failed, found.failed_builds);
  sum.failed += found.failed_builds;
  sum.pairs += found.pairs;
}

/// `plan` (planner → history) is called once for each history.
template <typename Plan>
Counts simulate(const char* name, Plan plan, const BisectRule& rule = {}, const Noise& noise = {}) {
  Counts sum;
  for (std::size_t i = 1; i <= kHistories; ++i) {
    Planner planner(i);
    const History history = plan(planner);
    count(sum, history, simulated::search(Bisection(kCommits, rule), history, i, noise));
  }
  const auto each = [](std::size_t total) { return double(total) / double(kHistories); };
  std::printf(
      "%s, %zu histories of %zu commits: one step %zu (right %zu, wrong %zu, commits named %.2f), "
      "several %zu, taken back %zu, none %zu, cannot tell %zu; unchanged commits named %zu; builds "
      "%.2f, at most %zu; failed builds %.2f, at most %zu; pairs %.0f\n",
      name, kHistories, kCommits, sum.one_step, sum.right, sum.wrong(),
      sum.one_step == 0 ? 0 : double(sum.range) / double(sum.one_step), sum.several, sum.taken_back,
      sum.none, sum.cannot_tell, sum.named_wrong, each(sum.builds), sum.most_builds,
      each(sum.failed), sum.most_failed, each(sum.pairs));
  return sum;
}

History one_step(Planner& planner) {
  History history = flat();
  plant(history, planner.position(1, kCommits), planner.change());
  return history;
}

TEST(BisectionSimulation, one_step_of_1_to_3_percent_is_found_with_8_builds) {
  const Counts found = simulate("one step of 1-3 %", one_step);
  EXPECT_GE(found.right, 990u);
  EXPECT_LE(found.wrong(), 10u);
  EXPECT_LE(found.most_builds, 8u);
}

// Much of this cannot be told with 96 pairs. What is told must be right all the same.
TEST(BisectionSimulation, noise_makes_it_silent_and_not_wrong) {
  const Counts loud = simulate("one step, noise x 3", one_step, {}, {.factor = 3});
  const Counts modal = simulate("one step, two modes 5 % apart", one_step, {}, {1, true});
  EXPECT_LE(loud.wrong() + loud.several + loud.taken_back, 10u);
  EXPECT_LE(modal.wrong() + modal.several + modal.taken_back, 10u);
  EXPECT_GE(loud.right, 300u);
}

TEST(BisectionSimulation, with_a_tenth_of_the_commits_unbuildable_a_range_holds_the_commit) {
  const Counts found = simulate("the same, 10 % unbuildable", [](Planner& planner) {
    History history = one_step(planner);
    for (std::size_t i = 1; i < kCommits; ++i)
      if (planner.chance(0.1)) history.unbuildable.insert(i);
    return history;
  });
  EXPECT_GE(found.right, 990u);
  EXPECT_LE(found.most_builds, 8u);
}

// Each of them may cost a failed build: the search tries the neighbours of a position that failed.
TEST(BisectionSimulation, with_16_unbuildable_commits_in_a_row_a_range_holds_the_commit) {
  const Counts found = simulate("one step, 16 in a row unbuildable", [](Planner& planner) {
    History history = one_step(planner);
    const std::size_t first = planner.position(1, kCommits - 16);
    for (std::size_t i = first; i < first + 16; ++i) history.unbuildable.insert(i);
    return history;
  });
  EXPECT_GE(found.right, 990u);
  EXPECT_LE(found.most_builds, 8u);
  EXPECT_LE(found.most_failed, 16u);
}

TEST(BisectionSimulation, without_a_change_no_commit_is_named) {
  const Counts found = simulate("no change", [](Planner&) { return flat(); });
  EXPECT_LE(found.named, 10u);
  EXPECT_GE(found.none, 990u);
  EXPECT_EQ(found.most_builds, 2u);
}

TEST(BisectionSimulation, a_drift_is_not_told_as_one_step) {
  const Counts found = simulate("drift of 1-3 % over all commits", [](Planner& planner) {
    History history = flat();
    const double change = planner.change() / double(kCommits);
    for (std::size_t i = 1; i <= kCommits; ++i) plant(history, i, change);
    return history;
  });
  EXPECT_EQ(found.one_step, 0u);
  EXPECT_GE(found.several, 900u);
}

TEST(BisectionSimulation, two_equal_changes_are_not_told_as_one_step) {
  const Counts found = simulate("two steps of half of 1-3 %", [](Planner& planner) {
    History history = flat();
    const double half = planner.change() / 2;
    for (const std::size_t commit : planner.commits(2)) plant(history, commit, half);
    return history;
  });
  EXPECT_LE(found.one_step, 10u);
  EXPECT_EQ(found.named_wrong, 0u);
  EXPECT_GE(found.several, 950u);
}

/// Made, taken back, and made again, with the whole change each time: the levels of GOOD and BAD
/// are the only ones.
History made_again(Planner& planner) {
  History history = flat();
  const double change = planner.change();
  const std::vector<std::size_t> commits = planner.commits(3);
  for (std::size_t i = 0; i < 3; ++i) plant(history, commits[i], i == 1 ? -change : change);
  return history;
}

TEST(BisectionSimulation, a_change_made_taken_back_and_made_again_needs_checks) {
  const Counts alone = simulate("made, taken back, made again", made_again);
  BisectRule rule;
  rule.checks = 6;
  const Counts checked = simulate("the same with 6 checks", made_again, rule);
  EXPECT_EQ(alone.named_wrong, 0u);
  EXPECT_EQ(checked.named_wrong, 0u);
  EXPECT_GE(checked.taken_back, 600u);
  EXPECT_LE(checked.most_builds, 14u);
}

TEST(BisectionSimulation, a_change_of_which_two_thirds_were_taken_back_is_told_as_such) {
  const Counts found = simulate("1-3 % x 3, then two thirds taken back", [](Planner& planner) {
    History history = flat();
    const double change = planner.change();
    const std::size_t made = planner.position(1, 32), back = planner.position(33, kCommits);
    plant(history, made, 3 * change);
    plant(history, back, -2 * change);
    return history;
  });
  EXPECT_GE(found.taken_back, 950u);
  EXPECT_EQ(found.named_wrong, 0u);
}

}  // namespace
}  // namespace plumbline
