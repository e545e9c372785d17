// What a comparison's changes tell about its noise model, with planted scatter. Seeded.
#include "analysis/variance/noise_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "stats/student_t.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

/// Changes of cases whose visits vary by 1 and whole runs by `runs`; the model assumes 10.
struct Changes {
  static constexpr double kSaid = 10;
  std::vector<double> values;

  Changes(std::size_t cases, double runs, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < cases; ++i) values.push_back(std::hypot(1, runs) * normal(random));
  }

  double share() const {
    return share_of_runs(values.size(), [this](double share) {
      std::vector<double> sizes;
      for (const double value : values)
        sizes.push_back(std::abs(value) / std::hypot(1, share * kSaid));
      return sizes;
    });
  }
};

TEST(ShareOfRuns, is_at_least_the_true_one) {
  for (const std::size_t cases : {24, 150, 2000})
    for (const double runs : {0.5, 1.0, 2.0, 3.0}) {
      int below = 0;
      for (std::uint64_t seed = 1; seed <= 200; ++seed)
        below += Changes(cases, runs, seed).share() < runs / Changes::kSaid - 0.002;
      EXPECT_LE(below, 8) << cases << " cases, " << runs;
    }
}

TEST(ShareOfRuns, is_near_the_true_one_of_many_cases) {
  EXPECT_NEAR(Changes(2000, 1, 1).share(), 0.1, 0.02);
  EXPECT_LT(Changes(24, 1, 1).share(), 0.35);
}

TEST(ShareOfRuns, is_1_where_more_than_half_of_it_may_stand_and_of_few_cases) {
  int narrowed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    for (const double runs : {5.0, 10.0, 20.0}) narrowed += Changes(100, runs, seed).share() < 1;
  EXPECT_LE(narrowed, 8);
  EXPECT_EQ(Changes(11, 0, 1).share(), 1);
}

TEST(ShareOfRuns, takes_no_notice_of_a_tenth_that_changed_and_much_of_heavy_tails) {
  Changes changes(200, 1, 1);
  const double unchanged = changes.share();
  for (std::size_t i = 0; i < 15; ++i) changes.values[i] = 1000;
  EXPECT_NEAR(changes.share(), unchanged, 0.05);
  for (std::size_t i = 0; i < 40; ++i) changes.values[i] = 1000;
  EXPECT_EQ(changes.share(), 1);
}

/// A run of 24 cases on a quiet CPU, and one of them slower.
Comparison of_quiet_runs(double slower, double run_sd) {
  std::mt19937_64 random(3);
  const planted::Noise noise{.visit_sd = 0.003, .run_sd = run_sd, .blocks = 8};
  std::vector<double> factors(24, 1.0);
  const std::vector<double> sds(factors.size(), 0.003);
  const Run baseline = planted::simulate(factors, sds, noise, random, 4, "cpu");
  factors[5] = slower;
  return compare(baseline, planted::simulate(factors, sds, noise, random, 4, "cpu"),
                 default_rule("cpu"));
}

TEST(NarrowedNoise, shows_what_got_slower_on_a_quiet_machine) {
  for (const double slower : {1.15, 1.25, 1.30}) {
    const Comparison made = of_quiet_runs(slower, 0.003);
    EXPECT_EQ(made.count(Verdict::slower), 1u) << slower;
    EXPECT_EQ(made.count(Verdict::same), 23u) << slower;
    ASSERT_TRUE(made.null_check);
    EXPECT_LT(made.null_check->fit.runs, 0.5);
    EXPECT_NE(
        null_check_text(*made.null_check).find("with the difference between whole runs cut to"),
        std::string::npos);
  }
}

TEST(NarrowedNoise, stays_as_the_rule_says_where_runs_scatter_so) {
  const Comparison made = of_quiet_runs(1.15, 0.025);
  EXPECT_EQ(made.null_check->fit, NoiseFit{});
}

/// Differences of cases from run to run on a quiet GPU; the rule assumes 0.25 %.
struct Night {
  const char* name;
  std::function<double(std::mt19937_64&)> deviation;
  std::size_t most_wrong;  // of 5 × 1000 unchanged cases
  double least_found;      // for +3 %
};

double normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }

const Night kNights[] = {
    {"normal, 0.05 %", [](auto& random) { return 0.0005 * normal(random); }, 0, 0.95},
    {"t with 3 degrees of freedom, 0.05 %",
     [](auto& random) { return 0.0005 * std::student_t_distribution<double>(3)(random); }, 2, 0.95},
    {"3 % ten times as far off",
     [](auto& random) {
       const bool is_off = std::uniform_real_distribution<double>()(random) < 0.03;
       return (is_off ? 0.005 : 0.0005) * normal(random);
     },
     5, 0.95},
    {"as the rule says", [](auto& random) { return 0.0025 * normal(random); }, 0, 0},
};

TEST(NarrowedNoise, of_quiet_nights_finds_more_and_invents_little) {
  for (const Night& night : kNights) {
    std::size_t wrong = 0, found = 0, planted_cases = 0;
    double runs = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      std::mt19937_64 random(seed);
      const planted::Noise noise{.visit_sd = 0.001, .block_sd = 0.003, .run_sd = 0, .blocks = 8};
      const std::vector<double> sds(1000, noise.block_sd);
      std::array<plumbline::Run, 2> sides;
      for (plumbline::Run& side : sides) {
        std::vector<double> factors(sds.size());
        for (std::size_t i = 0; i < factors.size(); ++i)
          factors[i] =
              std::exp(night.deviation(random)) * (&side == &sides[1] && i % 50 == 0 ? 1.03 : 1);
        side = planted::simulate(factors, sds, noise, random);
      }
      const Comparison made = compare(sides[0], sides[1], default_rule("cuda"));
      runs += made.null_check->fit.runs / 5;
      for (const Finding& finding : made.findings) {
        const bool is_planted =
            std::stoi(finding.case_id.substr(finding.case_id.rfind('=') + 1)) % 50 == 0;
        planted_cases += is_planted;
        if (finding.verdict == Verdict::slower || finding.verdict == Verdict::faster)
          ++(is_planted ? found : wrong);
      }
    }
    const double share = double(found) / double(planted_cases);
    std::printf(
        "%s: runs at %.2f of the rule, %zu of 4900 unchanged called, +3 %% found in %.0f %%\n",
        night.name, runs, wrong, 100 * share);
    EXPECT_LE(wrong, night.most_wrong) << night.name;
    EXPECT_GE(share, night.least_found) << night.name;
  }
}

}  // namespace
}  // namespace plumbline
