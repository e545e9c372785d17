#include "analysis/confirm/self_check.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

SelfCheck check_of(std::size_t alarms, std::size_t controls, std::size_t cases) {
  SelfCheck check;
  check.controls = "a build beside itself; by a rule";
  check.alarms = {0, alarms, controls};
  for (const double size : kPlantedSizes)
    check.confirmed.push_back({size, size < 0.015 ? cases / 2 : cases, cases});
  return check;
}

TEST(SelfCheck, says_no_more_than_its_counts_allow) {
  EXPECT_EQ(self_check_text(pooled(check_of(0, 12, 12), {})),
            "False alarms: 0 in 12 trials without a change (below 22.1 % at 95 % confidence). "
            "Planted slowdowns of 5 % were found in 12 of 12 cases (at least 77 % of the time).");
  EXPECT_EQ(self_check_text(pooled(check_of(1, 1, 40), {})),
            "False alarms: 1 in 1 trial without a change (below 100 % at 95 % confidence). Planted "
            "slowdowns of 2 % were found in 40 of 40 cases (at least 92 % of the time).");
}

TEST(SelfCheck, a_run_would_miss_most_only_where_the_counts_bear_that) {
  SelfCheck check;
  const auto planted = [&](std::size_t found, std::size_t cases) {
    check.called = {{0.05, found, cases}};
    check.alone = {{0.05, found, cases}};
    return self_check_text(pooled(check, {}));
  };
  const std::string alone = " Where one case alone slows down by 5 %, it was found in ";
  EXPECT_EQ(planted(2, 40), "This run would miss most slowdowns of 5 % (found 2 of 40)." + alone +
                                "2 of 40 cases.");
  EXPECT_EQ(planted(0, 2),
            "Planted slowdowns of 5 % in a twentieth of the cases were found in 0 of 2 cases." +
                alone + "0 of 2 cases.");
}

TEST(SelfCheck, where_pairs_follow_a_screen_both_counts_are_told) {
  SelfCheck check = check_of(0, 0, 40);
  for (const double size : kPlantedSizes) check.in_doubt.push_back({size, 39, 40});
  const std::string text = self_check_text(pooled(check, {}));
  EXPECT_EQ(text,
            "Planted slowdowns of 2 %: the screen pointed at 39 of 40 cases, and pairs then found "
            "40 of 40 (at least 82 % of the time).");
}

TEST(SelfCheck, earlier_comparisons_make_the_bounds_narrower_and_are_told_apart) {
  const std::vector<SelfCheck> earlier(19, check_of(0, 12, 12));
  const SelfMeasurement measured = pooled(check_of(0, 12, 12), earlier);
  EXPECT_EQ(measured.comparisons, 20u);
  EXPECT_EQ(measured.own.alarms.cases, 12u);
  EXPECT_EQ(measured.pooled.alarms.cases, 240u);
  EXPECT_EQ(smallest_visible(measured.own), 0);
  EXPECT_EQ(smallest_visible(measured.pooled), 0.02);
  EXPECT_NE(self_check_text(measured).find(
                "False alarms: 0 in 12 trials without a change (below 22.1 % at 95 "
                "% confidence); over 20 comparisons 0 in 240 (below 1.3 %). "),
            std::string::npos)
      << self_check_text(measured);
}

TEST(SelfCheck, one_without_controls_tells_those_of_earlier_ones) {
  const std::vector<SelfCheck> earlier(19, check_of(0, 12, 12));
  EXPECT_NE(
      self_check_text(pooled(check_of(0, 0, 12), earlier))
          .find("False alarms: 0 in 228 trials without a change, all of earlier comparisons (below "
                "1.4 % at 95 % confidence)."),
      std::string::npos)
      << self_check_text(pooled(check_of(0, 0, 12), earlier));
}

TEST(SelfCheck, comparisons_by_another_rule_are_not_added) {
  SelfCheck other = check_of(5, 5, 5);
  other.controls = "by another rule";
  const SelfMeasurement measured = pooled(check_of(0, 12, 12), std::vector{other});
  EXPECT_EQ(measured.comparisons, 1u);
  EXPECT_EQ(measured.pooled.alarms.cases, 12u);
}

TEST(SelfCheck, where_pairs_follow_a_screen_a_slowdown_must_pass_both) {
  SelfCheck check = check_of(0, 100, 100);
  EXPECT_EQ(smallest_visible(check), 0.02);
  for (const double size : kPlantedSizes)
    check.in_doubt.push_back({size, size < 0.025 ? 50u : 100u, 100});
  EXPECT_EQ(smallest_visible(check), 0.03);
}

TEST(SelfCheck, without_pairs_what_the_screen_called_counts) {
  SelfCheck check;
  for (const double size : kPlantedSizes) {
    check.called.push_back({size, size < 0.045 ? 0u : 100u, 100});
    check.in_doubt.push_back({size, 100, 100});
  }
  EXPECT_EQ(smallest_visible(check), 0.05);
}

TEST(SelfCheck, of_nothing_nothing_is_told) { EXPECT_EQ(self_check_text({}), ""); }

}  // namespace
}  // namespace plumbline
