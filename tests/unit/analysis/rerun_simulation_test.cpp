// Whole nights, screened against one accepted run; cases that look changed are run again by the
// same build. check does this without the baseline's build. The noise is that of
// simulated_nights.h. Seeded.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "analysis/confirm/rerun.h"
#include "unit/analysis/simulated_nights.h"

namespace plumbline {
namespace {

using simulated::kCases;
using simulated::Measured;
using simulated::Nights;

struct Rerun {
  std::size_t nights = 0, flagged = 0, alarms = 0, alarms_of_screen = 0;
  std::size_t planted = 0, found = 0, found_by_screen = 0;
  double share(std::size_t part) const { return double(part) / double(planted); }
};

void add(Rerun& sum, Nights& world, const Finding& finding, Verdict before) {
  const bool is_planted = world.at(std::stoul(finding.case_id)).effect != 0;
  const auto is_change = [](Verdict v) { return v == Verdict::slower || v == Verdict::faster; };
  sum.planted += is_planted;
  sum.found += is_planted && finding.verdict == Verdict::slower;
  sum.found_by_screen += is_planted && before == Verdict::slower;
  sum.alarms += !is_planted && is_change(finding.verdict);
  sum.alarms_of_screen += !is_planted && is_change(before);
}

Rerun simulate(int nights, double effect, std::size_t each) {
  Rerun sum;
  for (int night = 1; night <= nights; ++night) {
    Nights world(static_cast<std::uint64_t>(night));
    const std::vector<Measured> baseline = world.run_all(0);
    world.plant(std::log1p(effect), each);
    const double shift = night % 10 == 9 ? 0.005 : 0;
    const std::vector<Measured> now = world.run_all(shift);
    Comparison screened = world.screened(baseline, now);
    const Doubts doubts = cases_in_doubt(screened, {}, std::uint64_t(night));
    std::map<std::size_t, Measured> later;
    for (const CaseKey& key : doubts.flagged) {
      const std::size_t i = std::stoul(key.case_id);
      later[i] = world.run(world.at(i), shift + world.at(i).effect);
    }
    const Comparison joint = world.screened(baseline, now, later);
    for (std::size_t i = 0; i < kCases; ++i) {
      Finding& finding = screened.findings[i];
      const Verdict before = finding.verdict;
      if (const auto again = later.find(i); again != later.end())
        settle(finding, joint.findings[i], std::expm1(mean(again->second) - mean(baseline[i])),
               simulated::kRounds);
      add(sum, world, finding, before);
    }
    ++sum.nights;
    sum.flagged += doubts.flagged.size();
  }
  std::printf(
      "%zu nights, effect %+.0f %%: flagged %.0f a night; false alarms %zu (by the screen alone "
      "%zu); "
      "found %.1f %% of %zu (by the screen alone %.1f %%)\n",
      sum.nights, 100 * effect, double(sum.flagged) / double(sum.nights), sum.alarms,
      sum.alarms_of_screen, 100 * sum.share(sum.found), sum.planted,
      100 * sum.share(sum.found_by_screen));
  return sum;
}

TEST(RerunSimulation, raises_a_fifth_of_the_screens_false_alarms) {
  const Rerun sum = simulate(40, 0, 0);
  EXPECT_LE(5 * sum.alarms, sum.alarms_of_screen);
  EXPECT_LE(sum.alarms, 60u) << "one and a half a night; pairs raise half of one";
}

TEST(RerunSimulation, finds_what_the_screen_finds) {
  const std::array effects{0.05, 0.03}, least{0.95, 0.5};
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const Rerun sum = simulate(10, effects[i], 100);
    EXPECT_GE(sum.share(sum.found), least[i]);
    EXPECT_GE(sum.share(sum.found), sum.share(sum.found_by_screen) - 0.1);
  }
  simulate(10, 0.02, 100);  // half of them are below the floor, seen or not
}

}  // namespace
}  // namespace plumbline
