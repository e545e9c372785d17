// Whole nights, screened against one accepted run and confirmed in pairs, 10^4 cases each. Seeded,
// so a failure means that the method changed. The noise is that of simulated_nights.h; every tenth
// night all cases move by 0.5 %.
#include <gtest/gtest.h>

#include <cstdio>

#include "unit/analysis/simulated_nights.h"

namespace plumbline {
namespace {

using simulated::kCases;
using simulated::Measured;
using simulated::Nights;
using simulated::Outcome;

constexpr double kShift = 0.005;

struct Tally {
  std::size_t nights = 0, flagged = 0, alarms = 0, same = 0, shifts = 0, pairs = 0, blind = 0;
  std::size_t planted = 0, found = 0;
  std::size_t seeing = 0, found_seeing = 0;  // planted cases for which the screen is not blind
  std::size_t same_changed = 0;              // planted, but SAME in the end
  double power() const { return double(found) / double(planted); }
  double power_of_seeing() const { return double(found_seeing) / double(seeing); }

  void add(Nights& world, const Comparison& made, const Doubts& doubts) {
    const Outcome outcome = world.confirmed(doubts);
    std::vector<Verdict> last(kCases);
    std::vector<bool> is_blind(kCases);
    for (const Finding& finding : made.findings) {
      last[std::stoul(finding.case_id)] = finding.verdict;
      is_blind[std::stoul(finding.case_id)] = finding.blind.has_value();
    }
    std::size_t k = 0;
    for (const CaseKey& key : doubts.all()) last[std::stoul(key.case_id)] = outcome.verdicts[k++];
    for (std::size_t i = 0; i < kCases; ++i) {
      blind += is_blind[i];
      if (world.at(i).effect == 0) continue;
      ++planted;
      found += last[i] == Verdict::slower;
      seeing += !is_blind[i];
      found_seeing += !is_blind[i] && last[i] == Verdict::slower;
      same_changed += last[i] == Verdict::same;
    }
    ++nights;
    flagged += doubts.flagged.size();
    alarms += outcome.slower + outcome.faster - outcome.found;
    same += made.count(Verdict::same);
    shifts += made.has_shifted();
    pairs += outcome.pairs;
  }

  void print(double effect) const {
    const auto n = double(nights);
    std::printf(
        "%3zu nights, effect %+.0f %%: flagged %.0f a night, %.1f pairs of each; false alarms %zu; "
        "SAME by the screen alone %.1f %%; shifts %zu; blind %.1f %%; found %zu of %zu, of those "
        "not blind %zu of %zu; SAME in the end %zu\n",
        nights, 100 * std::expm1(effect), double(flagged) / n, double(pairs) / double(flagged),
        alarms, 100 * double(same) / n / double(kCases), shifts,
        100 * double(blind) / n / double(kCases), found, planted, found_seeing, seeing,
        same_changed);
  }
};

Tally simulate(int nights, double effect, std::size_t each) {
  Tally tally;
  for (int night = 0; night < nights; ++night) {
    Nights world(static_cast<std::uint64_t>(night) + 1);
    const std::vector<Measured> baseline = world.run_all(0);
    world.plant(effect, each);
    const Comparison made = world.screened(baseline, world.run_all(night % 10 == 9 ? kShift : 0));
    tally.add(world, made, cases_in_doubt(made, {}, std::uint64_t(night)));
  }
  tally.print(effect);
  return tally;
}

TEST(NightSimulation, raises_at_most_half_a_false_alarm_a_night) {
  const Tally tally = simulate(200, 0, 0);
  EXPECT_LE(tally.alarms, 100u);
  EXPECT_EQ(tally.shifts, 0u) << "of the run or of a part of it";
  EXPECT_LE(tally.flagged, 600u * 200u) << "what is flagged must be affordable to measure again";
  EXPECT_LE(double(tally.blind), 0.05 * 200 * kCases);
  EXPECT_GE(double(tally.same), 0.80 * 200 * kCases) << "a first comparison must be useful";
}

TEST(NightSimulation, finds_slowdowns_of_2_percent_and_more_in_cases_that_are_not_blind) {
  EXPECT_GE(simulate(21, std::log1p(0.05), 100).power_of_seeing(), 0.98);
  EXPECT_GE(simulate(21, std::log1p(0.03), 100).power_of_seeing(), 0.95);
  const Tally least = simulate(21, std::log1p(0.02), 100);
  EXPECT_GE(least.power_of_seeing(), 0.90);
  EXPECT_LE(double(least.same_changed), 0.02 * double(least.planted));
}

TEST(NightSimulation, each_of_the_first_three_nights_after_the_first_accepted_run_is_usable) {
  std::array<Tally, 3> tallies;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Nights world(seed);
    const std::vector<Measured> baseline = world.run_all(0);
    for (std::size_t night = 0; night < tallies.size(); ++night) {
      world.plant(std::log1p(0.02), 40 + night);  // other cases each night
      const Comparison made = world.screened(baseline, world.run_all(0));
      tallies[night].add(world, made, cases_in_doubt(made, {}, seed));
    }
  }
  for (const Tally& tally : tallies) {
    tally.print(std::log1p(0.02));
    EXPECT_GE(tally.power(), 0.85) << "blind cases among them";
    EXPECT_LE(tally.alarms, 3u);
  }
}

}  // namespace
}  // namespace plumbline
