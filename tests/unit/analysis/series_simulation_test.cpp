// The same binary measured on one machine over many nights: each night judged by those before it,
// against the night before and against a run that was accepted long ago, beside a simple rule.
// Seeded.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "unit/analysis/simulated_levels.h"

namespace plumbline {
namespace {

using simulated::CaseNights, simulated::NightCalls, simulated::NightLogs;

constexpr std::size_t kCases = 101, kNights = 22, kJudgedFrom = 11, kSlowed = 5;

/// A machine on which each case has its own scatter: standard deviation of nights log-normal,
/// median 0.18 %, 90th percentile 0.63 %; Student's t with 4 degrees of freedom. `memory`: share of
/// the nights' variance that fades over several nights (AR, 0.9), so that an accepted run ages.
/// 2 % of the cases have two modes 5 % apart.
std::vector<CaseNights> identical_nights(double memory, std::mt19937_64& random) {
  constexpr double kStays = 0.9;
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> student(4);
  std::uniform_real_distribution<double> uniform;
  std::vector<CaseNights> cases(kCases, CaseNights(kNights));
  for (CaseNights& nights : cases) {
    const double night_sd = 0.0018 * std::exp(0.977 * normal(random)),
                 visit_sd = 0.0015 * std::exp(0.7 * normal(random));
    const bool has_modes = uniform(random) < 0.02;
    double state = normal(random);
    for (NightLogs& night : nights) {
      state = kStays * state + std::sqrt(1 - kStays * kStays) * normal(random);
      double level = night_sd * (std::sqrt(memory) * state +
                                 std::sqrt(1 - memory) * student(random) / std::sqrt(2.0));
      if (has_modes && uniform(random) < 0.3) level += 0.05;
      for (double& visit : night) visit = level + visit_sd * normal(random);
    }
  }
  return cases;
}

/// The nights up to `night`, which is judged; the first kSlowed cases are slower in it.
std::vector<CaseNights> until(const std::vector<CaseNights>& cases, std::size_t night,
                              double slowdown) {
  std::vector<CaseNights> seen;
  for (const CaseNights& nights : cases) {
    CaseNights& kept =
        seen.emplace_back(nights.begin(), nights.begin() + std::ptrdiff_t(night) + 1);
    if (seen.size() <= kSlowed)
      for (double& visit : kept.back()) visit += std::log1p(slowdown);
  }
  return seen;
}

/// As if a user asked for the plain rule's error rate, and for smaller changes:
/// `--false-discovery-rate 5% --threshold 1.5%`.
DecisionRule rule_of_more_alarms() {
  DecisionRule rule = default_rule("cuda");
  rule.false_discovery_rate = 0.05;
  rule.effect_floor = 0.015;
  return rule;
}

/// Against the night before, against the first, by the plain rule, against the night before with
/// more alarms: false calls of 1,111, and the share of the slowed cases that is found. Means of
/// `runs` series.
std::array<NightCalls, 4> rates(double memory, double slowdown, int runs) {
  std::array<NightCalls, 4> mean_of;
  const double nights = double(runs) * double(kNights - kJudgedFrom);
  for (int seed = 1; seed <= runs; ++seed) {
    std::mt19937_64 random{std::uint64_t(seed)};
    const std::vector<CaseNights> cases = identical_nights(memory, random);
    for (std::size_t night = kJudgedFrom; night < kNights; ++night) {
      const std::vector<CaseNights> seen = until(cases, night, slowdown);
      const auto against = [&](std::size_t accepted, const DecisionRule& rule) {
        return simulated::judged(seen, accepted,
                                 run_variances(simulated::history_of(seen, accepted)), true,
                                 slowdown > 0 ? kSlowed : 0, rule);
      };
      mean_of[0].add_share(against(night - 1, default_rule("cuda")), nights);
      mean_of[1].add_share(against(0, default_rule("cuda")), nights);
      mean_of[3].add_share(against(night - 1, rule_of_more_alarms()), nights);
      mean_of[2].add_share(simulated::by_plain_rule(seen, slowdown > 0 ? kSlowed : 0), nights);
    }
  }
  for (NightCalls& calls : mean_of) calls.wrong *= double(kNights - kJudgedFrom);
  return mean_of;
}

TEST(SeriesSimulation, nights_of_one_binary_are_seldom_called_and_slowdowns_in_them_are_found) {
  constexpr int kRuns = 20;
  for (const double memory : {0.0, 0.5}) {
    const auto unchanged = rates(memory, 0, kRuns);
    std::printf(
        "memory %.1f: false of 1,111: night before %.2f, first night %.2f, plain %.2f, more alarms "
        "%.2f\n",
        memory, unchanged[0].wrong, unchanged[1].wrong, unchanged[2].wrong, unchanged[3].wrong);
    for (const std::size_t ours : {0, 1, 3})
      EXPECT_LE(unchanged[ours].wrong, unchanged[2].wrong) << memory << ' ' << ours;
    for (const double slowdown : {0.02, 0.03, 0.05}) {
      const auto slowed = rates(memory, slowdown, kRuns);
      std::printf(
          "memory %.1f, +%.0f %%: found: night before %.1f %%, first %.1f %%, plain %.1f %%, "
          "more alarms %.1f %%\n",
          memory, 100 * slowdown, 100 * slowed[0].found, 100 * slowed[1].found,
          100 * slowed[2].found, 100 * slowed[3].found);
      EXPECT_GE(slowed[3].found, slowed[2].found - 0.02) << memory;
      if (slowdown < 0.05) continue;
      EXPECT_GE(slowed[0].found, slowed[2].found - 0.03) << memory;
      EXPECT_GE(slowed[1].found, slowed[2].found - 0.03) << memory;
    }
  }
}

}  // namespace
}  // namespace plumbline
