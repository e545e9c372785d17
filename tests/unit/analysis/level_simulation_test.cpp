// Nights judged against the level of earlier ones, against the accepted run alone, and by a simple
// rule: false calls and found slowdowns on the same data, 10^4 cases each. Seeded.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "analysis/compare/compare.h"
#include "analysis/compare/contrast.h"
#include "stats/descriptive.h"
#include "stats/multiplicity.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr std::size_t kCases = 10'000, kSlowed = 20, kNights = 11, kVisits = 3;

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

using Night = std::array<double, kVisits>;  // logarithms of visits

/// The nights of a case; the last is the candidate, the one before the accepted run.
std::vector<Night> nights_of(const Noise& noise, double slowdown, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> student(3);
  std::uniform_real_distribution<double> uniform;
  const double night_sd = 0.0018 * std::exp(0.977 * normal(random)),
               visit_sd = 0.0015 * std::exp(0.7 * normal(random));
  const bool has_modes = uniform(random) < noise.with_modes;
  const double slow_mode = 0.2 + 0.6 * uniform(random);
  std::vector<Night> nights(kNights + 1);
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

Estimate estimate_of(const Night& night) {
  std::array<ResultRow, kVisits> rows;
  std::array<const ResultRow*, kVisits> visits{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].unit = std::string("s");
    rows[i].samples.add_block(std::array{std::exp(night[i])});
    visits[i] = &rows[i];
  }
  return estimate(visits);
}

/// A rule's results for one night.
struct Calls {
  double wrong = 0, found = 0;  // `found`: share of the slowed cases
  void add(std::size_t i, bool is_called) {
    if (is_called) (i < kSlowed ? found : wrong) += i < kSlowed ? 1.0 / kSlowed : 1;
  }
};

/// With compare()'s own parts. Without the level: the variance of earlier runs, and the accepted
/// run.
Calls judged(const std::vector<std::vector<Night>>& cases, const std::vector<RunVariance>& past,
             bool by_level) {
  const DecisionRule rule = default_rule("cuda");
  std::vector<Contrast> contrasts;
  std::vector<Finding> findings(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    RunVariance known = past[i];
    if (!by_level) known.center_runs = 0, known.visit_df = 0;
    findings[i].case_id = std::to_string(i);
    findings[i].op = "op" + std::to_string(i % 40);
    findings[i].metric = "gpu_time_cold";
    findings[i].unit = std::string("s");
    findings[i].threshold = std::max(rule.effect_floor, std::expm1(known.floor));
    contrasts.push_back(contrast_of(estimate_of(cases[i][kNights - 1]),
                                    estimate_of(cases[i][kNights]), known, true));
    contrasts.back().finding = i;
  }
  judge(contrasts, rule, findings);
  Calls calls;
  for (std::size_t i = 0; i < cases.size(); ++i)
    calls.add(i, findings[i].verdict == Verdict::slower || findings[i].verdict == Verdict::faster);
  return calls;
}

/// Student's t of the candidate's median visit against those of all earlier nights; Benjamini and
/// Hochberg at 5 %; changes of at least 1 %.
Calls by_plain_rule(const std::vector<std::vector<Night>>& cases) {
  std::vector<double> changes, p_values;
  for (const std::vector<Night>& nights : cases) {
    std::vector<double> medians;
    for (const Night& night : nights) medians.push_back(median(night));
    const std::span<const double> before = std::span(medians).first(kNights);
    changes.push_back(medians.back() - mean(before));
    const double error = standard_deviation(before) * std::sqrt(1 + 1.0 / kNights);
    p_values.push_back(student_t_two_sided_p(changes.back() / error, kNights - 1));
  }
  const std::vector<double> adjusted = benjamini_hochberg(p_values);
  Calls calls;
  for (std::size_t i = 0; i < cases.size(); ++i)
    calls.add(i, adjusted[i] <= 0.05 && std::abs(changes[i]) >= std::log1p(0.01));
  return calls;
}

History history_of(const std::vector<std::vector<Night>>& cases) {
  History history;
  history.runs.resize(kNights + 1);
  history.runs[kNights - 1].is_baseline = true;
  history.runs[kNights].is_candidate = true;
  for (const std::vector<Night>& nights : cases) {
    Series& series = history.series.emplace_back();
    series.unit = std::string("s");
    for (std::size_t night = 0; night < nights.size(); ++night) {
      series.add({.run = std::uint32_t(night), .estimate = std::exp(mean(nights[night]))},
                 nights[night]);
    }
  }
  return history;
}

// With modes, the simple rule is wrong less often (2.2): a mode with few nights counts as an
// outlier, or looks like a step.
TEST(LevelSimulation, finds_as_much_as_a_plain_rule_and_is_seldom_wrong) {
  constexpr int kRuns = 4;
  for (const Noise& noise : std::initializer_list<Noise>{
           {.name = "normal", .most_wrong = 1},
           {.name = "0.3 % of the visits disturbed", .most_wrong = 1, .disturbed = 0.003},
           {.name = "Student's t", .most_wrong = 15, .is_student = true},
           {.name = "3 % outliers", .most_wrong = 80, .outliers = 0.03},
           {.name = "two modes in 5 %", .most_wrong = 8, .with_modes = 0.05}}) {
    std::array<Calls, 3> mean_of;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
      std::mt19937_64 random(seed);
      std::vector<std::vector<Night>> cases;
      for (std::size_t i = 0; i < kCases; ++i)
        cases.push_back(nights_of(noise, i < kSlowed ? std::log1p(0.05) : 0, random));
      const std::vector<RunVariance> past = run_variances(history_of(cases));
      const std::array<Calls, 3> calls{judged(cases, past, false), judged(cases, past, true),
                                       by_plain_rule(cases)};
      for (std::size_t k = 0; k < calls.size(); ++k) {
        mean_of[k].wrong += calls[k].wrong / kRuns;
        mean_of[k].found += calls[k].found / kRuns;
      }
    }
    const auto& [alone, level, plain] = mean_of;
    std::printf(
        "%s: false / found: alone %.1f / %.0f %%, level %.1f / %.0f %%, plain %.1f / %.0f %%\n",
        noise.name, alone.wrong, 100 * alone.found, level.wrong, 100 * level.found, plain.wrong,
        100 * plain.found);
    EXPECT_LE(level.wrong, noise.most_wrong) << noise.name;
    EXPECT_GE(level.found, plain.found - 0.02) << noise.name;
    EXPECT_GE(level.found, alone.found) << noise.name;
  }
}

}  // namespace
}  // namespace plumbline
