// Error rates of the screen alone, and whether a run's own self-check reports them. Seeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "unit/analysis/simulated_nights.h"

namespace plumbline {
namespace {

using simulated::kCases;
using simulated::Measured;
using simulated::Nights;

/// Counts for the planted cases, or for all cases if none are planted.
struct Screened {
  std::size_t cases = 0, same = 0, covered = 0, in_doubt = 0, slower = 0;
  double share(std::size_t part) const { return double(part) / double(cases); }
};

Screened screen(int nights, double effect, std::size_t each) {
  Screened sum;
  for (int night = 1; night <= nights; ++night) {
    Nights world(static_cast<std::uint64_t>(night));
    const std::vector<Measured> baseline = world.run_all(0);
    world.plant(std::log1p(effect), each);
    for (const Finding& f : world.screened(baseline, world.run_all(0)).findings) {
      const double truth = world.at(std::stoul(f.case_id)).effect;
      if (each > 0 && truth == 0) continue;
      ++sum.cases;
      sum.same += f.verdict == Verdict::same;
      sum.slower += f.verdict == Verdict::slower;
      sum.in_doubt += *f.p_value <= ScreenRule{}.level;
      sum.covered += std::log1p(*f.change_low) <= truth && truth <= std::log1p(*f.change_high);
    }
  }
  std::printf(
      "effect %+.1f %%, %zu cases: SAME %.2f %%, in doubt %.1f %%, interval covers %.2f %%\n",
      100 * effect, sum.cases, 100 * sum.share(sum.same), 100 * sum.share(sum.in_doubt),
      100 * sum.share(sum.covered));
  return sum;
}

TEST(ScreenSimulation, intervals_cover_as_often_as_they_state) {
  const double nominal = default_rule("cuda").confidence;
  for (const double effect : {0.0, 0.02, 0.05}) {
    const Screened found = screen(10, effect, effect == 0 ? 0 : 25);
    EXPECT_GE(found.share(found.covered), nominal - 0.01) << effect;
  }
}

TEST(ScreenSimulation, changes_of_the_margin_and_more_hardly_ever_pass_as_the_same) {
  const Screened none = screen(4, 0, 0), margin = screen(20, 0.02, 25);
  EXPECT_GE(none.share(none.same), 0.80);
  EXPECT_LE(margin.share(margin.same), 0.012);
  const Screened more = screen(20, 0.025, 25), most = screen(20, 0.03, 25);
  EXPECT_LE(more.share(more.same), 0.004);
  EXPECT_LE(most.share(most.same), 0.002);
}

TEST(ScreenSimulation, the_null_check_says_that_the_rule_fits_nights_of_this_noise) {
  for (std::uint64_t night = 1; night <= 4; ++night) {
    Nights world(night);
    const std::vector<Measured> baseline = world.run_all(0);
    world.plant(std::log1p(0.05), 25);
    const auto check = world.screened(baseline, world.run_all(0)).null_check;
    ASSERT_TRUE(check);
    std::printf("night %d: %s\n", int(night), null_check_text(*check).c_str());
    EXPECT_GT(check->lambda, 1 / 1.25);
    EXPECT_LT(check->lambda, 1.25);
    EXPECT_EQ(check->fit.errors, 1) << night;
  }
}

/// Nights with two to four times the scatter that the rule assumes for whole runs.
TEST(ScreenSimulation, of_nights_noisier_than_the_rule_few_unchanged_cases_are_called_changed) {
  for (const simulated::NightNoise& noise : std::initializer_list<simulated::NightNoise>{
           {.case_scale = 0.006}, {.family_sd = 0.006}, {.case_scale = 0.01}})
    for (std::uint64_t night = 1; night <= 4; ++night) {
      Nights world(night, noise);
      const std::vector<Measured> baseline = world.run_all(0);
      world.plant(std::log1p(0.10), 25);
      std::size_t called = 0, found = 0, planted = 0;
      const Comparison made = world.screened(baseline, world.run_all(0));
      for (const Finding& finding : made.findings) {
        const bool is_planted = world.at(std::stoul(finding.case_id)).effect > 0;
        const bool is_called =
            finding.verdict == Verdict::slower || finding.verdict == Verdict::faster;
        planted += is_planted;
        (is_planted ? found : called) += is_called;
      }
      std::printf("cases %.1f, ops %.1f %%, night %d: %zu called changed; of %zu planted %zu\n",
                  100 * noise.case_scale, 100 * noise.family_sd, int(night), called, planted,
                  found);
      std::printf("  %s\n", null_check_text(*made.null_check).c_str());
      EXPECT_GT(made.null_check->fit.errors, 1.3);
      EXPECT_LE(called, 60u);  // 600 to 800 or more with the rule's errors
      EXPECT_GE(double(found), (noise.case_scale > 0.006 ? 0.7 : 0.95) * double(planted));
    }
}

const Detection& of_size(const std::vector<Detection>& rates, double size) {
  return *std::ranges::find(rates, size, &Detection::size);
}

TEST(ScreenSimulation, what_a_run_says_of_its_own_power_is_what_planted_slowdowns_show) {
  SelfCheck sum;
  std::size_t covered = 0, claims = 0;
  constexpr std::uint64_t kNights = 10;
  const std::array truths{screen(20, 0.01, 25), screen(20, 0.02, 25), screen(20, 0.03, 25)};
  const std::array sizes{0.01, 0.02, 0.03};
  for (std::uint64_t night = 101; night < 101 + kNights; ++night) {
    Nights world(night);
    const std::vector<Measured> baseline = world.run_all(0), now = world.run_all(0);
    const Comparison made = world.screened(baseline, now);
    const SelfCheck check = world.self_check(made, baseline, now, night);
    EXPECT_EQ(check.alarms.cases, kCases);
    sum.alarms.seen += check.alarms.seen;
    sum.alarms.cases += check.alarms.cases;
    add_rates(sum.in_doubt, check.in_doubt);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const ProportionBounds bounds = of_size(check.in_doubt, sizes[i]).bounds();
      const double truth = truths[i].share(truths[i].in_doubt);
      covered += bounds.low <= truth;
      covered += truth <= bounds.high;
      claims += 2;
    }
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Detection& told = of_size(sum.in_doubt, sizes[i]);
    const double share = double(told.seen) / double(told.cases);
    const double truth = truths[i].share(truths[i].in_doubt);
    std::printf("planted %+.0f %%: in doubt %.1f %%, told %.1f %% of %zu\n", 100 * sizes[i],
                100 * truth, 100 * share, told.cases);
    EXPECT_NEAR(share, truth, 0.02);
  }
  std::printf("bounds that hold: %zu of %zu; false alarms of controls: %zu of %zu\n", covered,
              claims, sum.alarms.seen, sum.alarms.cases);
  EXPECT_GE(double(covered), 0.9 * double(claims));
  // Cases with modes may be in one mode in either half; nothing else raises alarms.
  EXPECT_LE(sum.alarms.seen, sum.alarms.cases / 1000);
}

}  // namespace
}  // namespace plumbline
