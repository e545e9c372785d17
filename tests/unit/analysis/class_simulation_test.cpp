// Candidates on a card that is not among the baseline's cards: false calls, found slowdowns, and
// the detectable change, by the number of cards of the baseline. Seeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "analysis/compare/compare.h"
#include "analysis/compare/contrast.h"
#include "analysis/variance/noise_priors.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr std::size_t kVisits = 3, kOps = 20;
using Visits = std::array<double, kVisits>;  // logarithms

/// Cards of a class. A case differs from card to card by Student's t with 4 degrees of freedom,
/// like pairs of H100s and of H200s (median and 99th percentile of their differences).
struct Class {
  const char* name;
  double card_scale;  // log
  std::size_t cases;
};

/// By case: its runs on the cards of the baseline, then the candidate.
using World = std::vector<std::vector<Visits>>;

World world_of(const Class& model, std::size_t cards, double slowdown, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> student(4);
  World world;
  for (std::size_t i = 0; i < model.cases; ++i) {
    const double visit_sd = 0.0015 * std::exp(0.7 * normal(random));
    std::vector<Visits>& runs = world.emplace_back();
    for (std::size_t k = 0; k <= cards; ++k) {
      const double run = model.card_scale * student(random) + 0.0008 * normal(random) +
                         (k == cards && i % 20 == 0 ? slowdown : 0);
      Visits& visits = runs.emplace_back();
      for (double& visit : visits) visit = run + visit_sd * normal(random);
    }
  }
  return world;
}

History history_of(const World& world) {
  History history;
  history.runs.resize(world.front().size());
  for (std::size_t k = 0; k < history.runs.size(); ++k)
    history.runs[k].device_uuid = "GPU-" + std::to_string(k);
  history.runs[history.runs.size() - 2].is_baseline = true;
  history.runs.back().is_candidate = true;
  for (const std::vector<Visits>& runs : world) {
    Series& series = history.series.emplace_back();
    series.unit = std::string("s");
    for (std::size_t k = 0; k < runs.size(); ++k)
      series.add({.run = std::uint32_t(k), .estimate = std::exp(mean(runs[k]))}, runs[k]);
  }
  return history;
}

Estimate estimate_of(const Visits& visits) {
  std::array<ResultRow, kVisits> rows;
  std::array<const ResultRow*, kVisits> all{};
  for (std::size_t i = 0; i < kVisits; ++i) {
    rows[i].unit = std::string("s");
    rows[i].samples.add_block(std::array{std::exp(visits[i])});
    all[i] = &rows[i];
  }
  return estimate(all);
}

struct Shares {
  double wrong = 0, found = 0, same = 0;  // wrong: calls per comparison
  std::vector<double> detectable;
};

void judge_into(const World& world, Shares& sum) {
  const std::vector<RunVariance> past = run_variances(history_of(world));
  const DecisionRule rule = rule_between(Sameness::other_device, "cuda", default_rule("cuda"));
  std::vector<Contrast> contrasts;
  std::vector<Finding> findings(world.size());
  for (std::size_t i = 0; i < world.size(); ++i) {
    findings[i].case_id = std::to_string(i);
    findings[i].op = "op" + std::to_string(i % kOps);
    findings[i].metric = "gpu_time_cold";
    findings[i].unit = std::string("s");
    findings[i].threshold = rule.effect_floor;
    const std::vector<Visits>& runs = world[i];
    contrasts.push_back(
        contrast_of(estimate_of(runs[runs.size() - 2]), estimate_of(runs.back()), past[i], true));
    contrasts.back().finding = i;
    contrasts.back().is_other_device = !past[i].is_of_machines;
  }
  judge(contrasts, rule, findings);
  std::size_t slowed = 0, found = 0, same = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const bool is_called =
        findings[i].verdict == Verdict::slower || findings[i].verdict == Verdict::faster;
    sum.detectable.push_back(findings[i].detectable.value_or(1));
    if (i % 20 == 0) {
      ++slowed;
      found += is_called;
    } else {
      sum.wrong += is_called;
      same += findings[i].verdict == Verdict::same;
    }
  }
  sum.found += double(found) / double(slowed);
  sum.same += double(same) / double(findings.size() - slowed);
}

Shares shares_of(const Class& model, std::size_t cards, int runs) {
  Shares sum;
  std::mt19937_64 random(cards + 7 * model.cases);
  for (int run = 0; run < runs; ++run)
    judge_into(world_of(model, cards, std::log1p(0.05), random), sum);
  for (double* share : {&sum.wrong, &sum.found, &sum.same}) *share /= runs;
  std::printf(
      "%-22s %3zu cases, %zu cards: wrong %.2f, +5 %% found %.0f %%, SAME %.0f %%, "
      "smallest seen %.1f %%\n",
      model.name, model.cases, cards, sum.wrong, 100 * sum.found, 100 * sum.same,
      100 * median(sum.detectable));
  return sum;
}

TEST(ClassSimulation, of_three_cards_slowdowns_are_found_on_one_that_is_new) {
  constexpr int kRuns = 40;
  for (const Class& model :
       {Class{"two H100s", 0.0016, 40}, Class{"two H100s", 0.0016, 153},
        Class{"H200s of one kind", 0.0022, 40}, Class{"H200s of one kind", 0.0022, 153}})
    for (const std::size_t cards : {1, 3, 5}) {
      const Shares found = shares_of(model, cards, kRuns);
      EXPECT_LE(found.wrong, 0.3) << model.name << cards;
      if (cards < 3) continue;
      EXPECT_GE(found.found, 0.85) << model.name << cards;
      EXPECT_GE(found.same, 0.85) << model.name << cards;
      EXPECT_LE(median(found.detectable), 0.025) << model.name << cards;
    }
}

TEST(ClassSimulation, cards_far_apart_raise_few_false_alarms) {
  for (const std::size_t cards : {1, 3, 5})
    EXPECT_LE(shares_of({"H200s of two kinds", 0.006, 153}, cards, 40).wrong, 0.4) << cards;
}

}  // namespace
}  // namespace plumbline
