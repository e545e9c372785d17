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
            "Self-check: 0 of 12 controls (a build beside itself) raised an alarm: rate below 22.1 "
            "% at 95 %; no smallest "
            "visible slowdown can be named (5 % planted: found in 12 of 12 cases, so at least 77 % "
            "of the time).");
  EXPECT_EQ(self_check_text(pooled(check_of(1, 1, 40), {})),
            "Self-check: 1 of 1 control (a build beside itself) raised an alarm: rate below 100 % "
            "at 95 %; smallest visible "
            "slowdown 2 % (planted: found in 40 of 40 cases, so at least 92 % of the time).");
}

TEST(SelfCheck, earlier_comparisons_make_the_bounds_narrower_and_are_told_apart) {
  const std::vector<SelfCheck> earlier(19, check_of(0, 12, 12));
  const SelfMeasurement measured = pooled(check_of(0, 12, 12), earlier);
  EXPECT_EQ(measured.comparisons, 20u);
  EXPECT_EQ(measured.own.alarms.cases, 12u);
  EXPECT_EQ(measured.pooled.alarms.cases, 240u);
  EXPECT_EQ(smallest_visible(measured.own), 0);
  EXPECT_EQ(smallest_visible(measured.pooled), 0.02);
  EXPECT_NE(
      self_check_text(measured).find("0 of 12 controls (a build beside itself) raised an alarm: "
                                     "rate below 22.1 % at 95 %, over 20 comparisons 0 "
                                     "of 240: below 1.3 %;"),
      std::string::npos)
      << self_check_text(measured);
}

TEST(SelfCheck, one_without_controls_tells_those_of_earlier_ones) {
  const std::vector<SelfCheck> earlier(19, check_of(0, 12, 12));
  EXPECT_NE(
      self_check_text(pooled(check_of(0, 0, 12), earlier))
          .find("no control of its own; over 20 comparisons 0 of 228 controls (a build beside "
                "itself) raised an alarm: rate below 1.4 % at 95 %;"),
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
