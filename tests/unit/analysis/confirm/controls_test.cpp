#include "analysis/confirm/controls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/confirm/planting.h"
#include "stats/student_t.h"
#include "unit/analysis/compared.h"

namespace plumbline {
namespace {

Contrast control_of(const std::vector<double>& baseline, const std::vector<double>& candidate,
                    std::uint64_t seed = 1) {
  return halves_of({}, baseline, candidate, seed);
}

TEST(Halves, a_real_change_and_what_runs_differ_by_cancel) {
  const Contrast control = control_of({0.5, 0.5, 0.5}, {0.9, 0.9, 0.9, 0.9});
  EXPECT_NEAR(control.change, 0, 1e-15);
  EXPECT_NEAR(control.variance, 0, 1e-15);
  EXPECT_EQ(control.df, 4);
}

TEST(Halves, have_nearly_the_visits_of_the_comparison_itself) {
  EXPECT_NEAR(control_of({0, 1, 2}, {0, 1, 2}).inverse_visits, 0.75, 1e-12);  // which has 2/3
  EXPECT_NEAR(control_of({0, 1, 2, 3}, {0, 1, 2, 3}).inverse_visits, 0.5, 1e-12);
}

TEST(Halves, too_few_visits_make_no_control) { EXPECT_EQ(control_of({0}, {0, 1, 2}).df, 0); }

TEST(Halves, of_unchanged_visits_follow_the_t_distribution_that_they_are_judged_by) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(1, 0.01);
  constexpr int kTrials = 20'000;
  int beyond = 0;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> baseline(3), candidate(3);
    for (auto* run : {&baseline, &candidate})
      for (double& visit : *run) visit = normal(random);
    const Contrast control = control_of(baseline, candidate, std::uint64_t(i));
    const double t = control.change / std::sqrt(control.variance * control.inverse_visits);
    beyond += student_t_two_sided_p(t, control.df) < 0.05;
  }
  EXPECT_NEAR(double(beyond) / kTrials, 0.05, 3 * std::sqrt(0.05 * 0.95 / kTrials));
}

TEST(Planting, puts_a_few_cases_at_a_time_into_groups_and_none_twice) {
  std::vector<std::size_t> cases(1000);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i] = i;
  const auto groups = planting_groups(cases, 400, 7);
  ASSERT_EQ(groups.size(), 8u);
  std::set<std::size_t> seen;
  for (const auto& group : groups) {
    EXPECT_EQ(group.size(), 50u);
    seen.insert(group.begin(), group.end());
  }
  EXPECT_EQ(seen.size(), 400u);
  EXPECT_NE(planting_groups(cases, 400, 8), groups);
  EXPECT_EQ(planting_groups({3, 5}, 400, 1).size(), 2u);
  EXPECT_TRUE(planting_groups({}, 400, 1).empty());
}

const Detection& of_size(const std::vector<Detection>& rates, double size) {
  return *std::ranges::find(rates, size, &Detection::size);
}

class ScreenChecked : public Compared {
 protected:
  ScreenChecked() {
    for (int i = 0; i < 60; ++i)
      for (auto* run : {&before, &after})
        for (const char* metric : {"gpu_time_cold", "gpu_time_hot"})
          planted::add_case(*run, "gelu/libtorch/n=" + std::to_string(i), 1e-5, 0.001, metric);
  }
};

TEST_F(ScreenChecked, quiet_runs_raise_no_alarm_and_see_what_is_above_the_floor) {
  const SelfCheck check = compared().self_check.value().own;
  EXPECT_EQ(check.alarms.cases, 70u) << "a case counts once, whatever its metrics";
  EXPECT_EQ(check.alarms.seen, 0u);
  EXPECT_EQ(of_size(check.called, 0.05).cases, 70u);
  EXPECT_EQ(of_size(check.called, 0.05).seen, 70u);
  EXPECT_EQ(of_size(check.called, 0.01).seen, 0u) << "below the floor of 2 %";
}

TEST_F(ScreenChecked, a_slowdown_of_1_percent_is_seldom_seen_between_runs_that_differ_by_1) {
  DecisionRule rule = default_rule("cuda");
  rule.run_sd = 0.01;
  const auto run_of = [](bool is_candidate) {
    std::mt19937_64 random(is_candidate ? 1 : 2);
    std::normal_distribution<double> of_run(0, 0.01);
    plumbline::Run run = planted::run_on("NVIDIA H200");
    for (int i = 0; i < 70; ++i)
      planted::add_case(run, "gelu/libtorch/n=" + std::to_string(i),
                        1e-5 * std::exp(of_run(random)));
    return run;
  };
  const SelfCheck check = compare(run_of(false), run_of(true), rule).self_check.value().own;
  EXPECT_LE(of_size(check.in_doubt, 0.01).seen, 7u);  // of 70
  EXPECT_EQ(of_size(check.called, 0.02).seen, 0u);
}

TEST_F(ScreenChecked, unchanged_cases_whose_visits_fall_into_modes_raise_alarms) {
  // In both runs, one visit of three is 30 % slower: in either half it is alone and looks changed.
  for (int i = 0; i < 60; ++i)
    for (auto* run : {&before, &after})
      for (int round = 0; round < 3; ++round)
        planted::add_visit(*run, "gelu/libtorch/modal=" + std::to_string(i), round,
                           round == 1 ? 1.3e-5 : 1e-5);
  const SelfCheck check = compared().self_check.value().own;
  EXPECT_EQ(check.alarms.cases, 130u);
  EXPECT_GE(check.alarms.seen, 1u);
}

TEST_F(ScreenChecked, cases_that_are_called_changed_are_not_planted_in) {
  planted::add_case(before, "gelu/libtorch/slow", 1e-5);
  planted::add_case(after, "gelu/libtorch/slow", 2e-5);
  const SelfCheck check = compared().self_check.value().own;
  EXPECT_EQ(check.alarms.cases, 71u);
  EXPECT_EQ(of_size(check.called, 0.05).cases, 70u);
}

/// Pairs of ten cases with a scatter of 0.3 %; on B the first is slower by `effect`.
struct Pairs {
  Run a = planted::run_on("NVIDIA H200"), b = planted::run_on("NVIDIA H200");
  PairedTrial trial{default_paired_rule("cuda"), {}};
  std::set<CaseKey> cases;

  explicit Pairs(double effect) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal(0, 0.003);
    for (int i = 0; i < 10; ++i) {
      const std::string id = "op/libtorch/n=" + std::to_string(i);
      cases.insert({"quick", id});
      for (int pair = 0; pair < 12; ++pair)
        for (int visit = 0; visit < 2; ++visit) {
          planted::add_visit(a, id, pair, 1e-4 * (1 + normal(random)));
          planted::add_visit(b, id, pair, 1e-4 * (1 + normal(random)) * (i == 0 ? 1 + effect : 1));
        }
    }
    trial.look_at(a, b, 0);
  }
  MeasuredPairs measured() const { return {a, b, trial}; }
};

SelfCheck checked(const Pairs& control, const Pairs& measured, const std::set<CaseKey>& cases) {
  const MeasuredPairs controls = control.measured();
  return check_pairs(&controls, measured.measured(), cases, 1);
}

TEST(PairControls, where_there_are_none_slowdowns_are_planted_all_the_same) {
  const Pairs measured(0);
  const SelfCheck check = check_pairs(nullptr, measured.measured(), measured.cases, 1);
  EXPECT_EQ(check.alarms.cases, 0u);
  EXPECT_EQ(of_size(check.confirmed, 0.02).cases, 10u);
}

TEST(PairControls, of_fewer_pairs_than_the_first_look_has_do_not_count) {
  const Pairs control(0.1), measured(0);
  PairedRule rule = default_paired_rule("cuda");
  rule.looks = {24};
  const PairedTrial late(rule, {});
  const MeasuredPairs controls{control.a, control.b, late};
  EXPECT_EQ(check_pairs(&controls, {measured.a, measured.b, late}, {}, 1).alarms.cases, 0u);
}

TEST(PairControls, are_judged_by_the_pairs_that_they_have) {
  Pairs control(0.1);
  const std::size_t visits = control.a.rows.size() / 10;  // per case, for 12 pairs
  for (plumbline::Run* run :
       {&control.a, &control.b}) {  // the second case was measured in 4 of them
    const auto first = run->rows.begin() + std::ptrdiff_t(visits);
    run->rows.erase(first + 8, first + std::ptrdiff_t(visits));
  }
  const auto outcomes = control_outcomes(control.measured());
  ASSERT_EQ(outcomes.size(), 10u);
  EXPECT_TRUE(outcomes.at({"quick", "op/libtorch/n=0"}).has_alarmed);
  EXPECT_FALSE(outcomes.at({"quick", "op/libtorch/n=1"}).is_decided);
  EXPECT_TRUE(outcomes.at({"quick", "op/libtorch/n=2"}).is_decided);
}

TEST(PairControls, an_alarm_among_builds_that_are_the_same_is_counted) {
  const Pairs quiet(0), alarmed(0.1);
  EXPECT_EQ(checked(quiet, quiet, {}).alarms.seen, 0u);
  const SelfCheck check = checked(alarmed, quiet, {});
  EXPECT_EQ(check.alarms.seen, 1u);
  EXPECT_EQ(check.alarms.cases, 10u);
}

TEST(PairControls, slowdowns_are_planted_in_controls_and_in_the_cases_that_are_named) {
  const Pairs control(0), measured(0.1);
  const SelfCheck alone = checked(control, measured, {});
  EXPECT_EQ(of_size(alone.confirmed, 0.02).cases, 10u);
  EXPECT_EQ(of_size(alone.confirmed, 0.02).seen, 10u);
  const SelfCheck both = checked(control, measured, measured.cases);
  EXPECT_EQ(of_size(both.confirmed, 0.02).cases, 19u) << "not in the one that changed";
}

TEST(PairControls, what_scatters_more_is_seen_less) {
  Pairs control(0);
  const SelfCheck check = checked(control, control, {});
  PairedRule strict = default_paired_rule("cuda");
  strict.effect_floor = 0.025;
  control.trial = PairedTrial(strict, {});
  control.trial.look_at(control.a, control.b, 0);
  const SelfCheck less = checked(control, control, {});
  EXPECT_EQ(of_size(check.confirmed, 0.02).seen, 10u);
  EXPECT_EQ(of_size(less.confirmed, 0.02).seen, 0u);
  EXPECT_EQ(of_size(less.confirmed, 0.03).seen, 10u);
  EXPECT_NE(check.controls, less.controls) << "counts of another rule are not added up";
}

}  // namespace
}  // namespace plumbline
