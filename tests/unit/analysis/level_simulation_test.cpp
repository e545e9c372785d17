// Nights judged against the level of earlier ones, against the accepted run alone, and by a simple
// rule: false calls and found slowdowns on the same data, 10^4 cases each. Seeded.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "unit/analysis/simulated_levels.h"

namespace plumbline {
namespace {

using simulated::CaseNights, simulated::NightCalls;

constexpr std::size_t kCases = 10'000, kSlowed = 20, kNights = 11;

/// Scatter of nights and visits. Each case has its own standard deviation of nights: log-normal,
/// median 0.18 %, 90th percentile 0.63 %.
struct Noise {
  const char* name;
  double most_wrong;        // calls per night
  bool is_student = false;  // nights: Student's t with 3 degrees of freedom
  double outliers = 0;      // share of nights that stray ten times as far
  double with_modes = 0;    // share of cases whose nights fall into two modes 5 % apart
  double disturbed = 0;     // share of visits that take 3 to 20 % longer
};

/// The nights of a case; the last is the candidate, the one before the accepted run.
CaseNights nights_of(const Noise& noise, double slowdown, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> student(3);
  std::uniform_real_distribution<double> uniform;
  const double night_sd = 0.0018 * std::exp(0.977 * normal(random)),
               visit_sd = 0.0015 * std::exp(0.7 * normal(random));
  const bool has_modes = uniform(random) < noise.with_modes;
  const double slow_mode = 0.2 + 0.6 * uniform(random);
  CaseNights nights(kNights + 1);
  for (std::size_t i = 0; i < nights.size(); ++i) {
    double level = noise.is_student ? student(random) / std::sqrt(3.0) : normal(random);
    if (uniform(random) < noise.outliers) level *= 10;
    level *= night_sd;
    if (has_modes && uniform(random) < slow_mode) level += 0.05;
    if (i == kNights) level += slowdown;
    for (double& visit : nights[i]) {
      visit = level + visit_sd * normal(random);
      if (uniform(random) < noise.disturbed) visit += 0.03 + 0.17 * uniform(random);
    }
  }
  return nights;
}

/// Calls of the three rules; the first kSlowed cases are slower by `slowdown`.
std::array<NightCalls, 3> calls_of(const Noise& noise, double slowdown, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<CaseNights> cases;
  for (std::size_t i = 0; i < kCases; ++i)
    cases.push_back(nights_of(noise, i < kSlowed ? std::log1p(slowdown) : 0, random));
  const std::size_t accepted = kNights - 1;
  const std::vector<RunVariance> past = run_variances(simulated::history_of(cases, accepted));
  return {simulated::judged(cases, accepted, past, false, kSlowed),
          simulated::judged(cases, accepted, past, true, kSlowed),
          simulated::by_plain_rule(cases, kSlowed)};
}

// With modes, some cases were in their rarer mode in none of the earlier nights: no rule can know.
TEST(LevelSimulation, finds_as_much_as_a_plain_rule_and_is_seldom_wrong) {
  constexpr int kRuns = 4;
  for (const Noise& noise : std::initializer_list<Noise>{
           {.name = "normal", .most_wrong = 1},
           {.name = "0.3 % of the visits disturbed", .most_wrong = 1, .disturbed = 0.003},
           {.name = "Student's t", .most_wrong = 15, .is_student = true},
           {.name = "3 % outliers", .most_wrong = 80, .outliers = 0.03},
           {.name = "two modes in 5 %", .most_wrong = 4, .with_modes = 0.05}})
    for (const double slowdown : {0.05, 0.03, 0.02}) {
      std::array<NightCalls, 3> mean_of;
      for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
        const std::array<NightCalls, 3> calls = calls_of(noise, slowdown, seed);
        for (std::size_t k = 0; k < calls.size(); ++k) mean_of[k].add_share(calls[k], kRuns);
      }
      const auto& [alone, level, plain] = mean_of;
      std::printf(
          "%s, +%.0f %%: false / found: alone %.1f / %.0f %%, level %.1f / %.0f %%, plain %.1f / "
          "%.0f %%\n",
          noise.name, 100 * slowdown, alone.wrong, 100 * alone.found, level.wrong,
          100 * level.found, plain.wrong, 100 * plain.found);
      EXPECT_LE(level.wrong, noise.most_wrong) << noise.name;
      if (slowdown < 0.05) continue;
      EXPECT_GE(level.found, plain.found - 0.02) << noise.name;
      EXPECT_GE(level.found, alone.found) << noise.name;
    }
}

}  // namespace
}  // namespace plumbline
