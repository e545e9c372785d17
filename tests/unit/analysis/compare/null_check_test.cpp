// Whether the noise model fits a run: with runs that scatter as it predicts, more and less. Seeded.
#include "analysis/compare/null_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "analysis/compare/compare.h"
#include "stats/student_t.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

/// Cases whose changes are `scatter` times as large as the noise model predicts.
std::vector<Finding> findings_of(std::size_t cases, double scatter, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Finding> findings(cases);
  for (std::size_t i = 0; i < cases; ++i) {
    findings[i].case_id = std::to_string(i);
    findings[i].unit = std::string("s");
    findings[i].p_value = 2 * normal_cdf(-std::abs(scatter * normal(random)));
  }
  return findings;
}

TEST(NullCheck, lambda_is_the_square_of_how_much_more_the_changes_scatter) {
  for (const double scatter : {0.5, 1.0, 1.5, 3.0}) {
    const auto found = null_check(findings_of(20'000, scatter, 1), {});
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->lambda / (scatter * scatter), 1, 0.05) << scatter;
    EXPECT_EQ(found->cases, 20'000u);
  }
}

TEST(NullCheck, its_interval_holds_the_truth_as_often_as_it_says) {
  int held = 0;
  constexpr int kRuns = 500;
  for (int seed = 1; seed <= kRuns; ++seed) {
    const auto found = null_check(findings_of(100, 1, std::uint64_t(seed)), {});
    held += found->low <= 1 && 1 <= found->high;
  }
  EXPECT_GE(held, int(0.97 * kRuns));
}

TEST(NullCheck, a_minority_that_changed_does_not_move_it) {
  auto findings = findings_of(2000, 1, 3);
  for (std::size_t i = 0; i < 100; ++i) findings[i].p_value = 1e-9;
  EXPECT_LT(null_check(findings, {})->low, 1.1);
  EXPECT_NE(null_check_text(*null_check(findings, {})).find("scatter as expected (λ"),
            std::string::npos);
}

TEST(NullCheck, tells_a_run_that_is_noisier_than_the_model_and_one_that_is_quieter) {
  const std::string more = null_check_text(*null_check(findings_of(2000, 2, 4), {}));
  EXPECT_NE(more.find("this run is noisier than we assume"), std::string::npos) << more;
  const std::string less = null_check_text(*null_check(findings_of(2000, 0.4, 5), {}));
  EXPECT_NE(less.find("missed rather than invented"), std::string::npos) << less;
}

TEST(NullCheck, takes_times_alone_and_seven_cases_of_a_metric_at_least) {
  auto findings = findings_of(kNullCheckCases, 1, 6);
  ASSERT_TRUE(null_check(findings, {}));
  findings[3].unit = std::string("B");
  EXPECT_FALSE(null_check(findings, {}));
  findings[3].unit = std::string("s");
  findings[4].metric = "kernel_time_cold";
  EXPECT_FALSE(null_check(findings, {}));
}

/// A second run whose times are a factor of the first one's.
Comparison compared(const std::vector<double>& factors, double run_sd = 0.0025) {
  std::mt19937_64 random(7);
  const planted::Noise noise{.run_sd = run_sd};
  const std::vector<double> before(factors.size(), 1.0), sds(factors.size(), noise.block_sd);
  const Run baseline = planted::simulate(before, sds, noise, random);
  return compare(baseline, planted::simulate(factors, sds, noise, random), default_rule("cuda"));
}

std::size_t counted(const Comparison& made, Verdict verdict) {
  return std::size_t(std::ranges::count(made.findings, verdict, &Finding::verdict));
}

TEST(NullCheck, of_compared_runs_is_near_1_and_rises_where_each_case_has_a_bad_night) {
  const std::vector<double> unchanged(2000, 1.0);
  const auto usual = compared(unchanged).null_check, noisy = compared(unchanged, 0.02).null_check;
  ASSERT_TRUE(usual && noisy);
  EXPECT_NEAR(usual->lambda, 1, 0.15);
  EXPECT_EQ(usual->fit.errors, 1);
  EXPECT_GT(noisy->low * noisy->fit.errors * noisy->fit.errors, 8);
}

TEST(ExcessScatter, is_the_factor_of_what_scatters_more_on_both_sides) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  for (const double scatter : {0.5, 1.0, 2.0, 4.0}) {
    std::vector<double> deviates(2000);
    for (double& z : deviates) z = scatter * normal(random);
    EXPECT_NEAR(excess_scatter(deviates), std::max(scatter, 1.0), 0.1 * scatter) << scatter;
    for (double& z : deviates) z = z > 0 ? 1.5 * z + 8 : z;  // these became slower
    EXPECT_NEAR(excess_scatter(deviates), std::max(scatter, 1.0), 0.1 * scatter) << scatter;
    EXPECT_EQ(excess_scatter(std::span(deviates).first(70)), 1);
  }
  EXPECT_EQ(excess_scatter({}), 1);
}

TEST(ExcessScatter, of_a_noisy_run_keeps_unchanged_cases_from_being_called_changed) {
  std::vector<double> factors(300, 1.0);
  for (std::size_t i = 0; i < factors.size(); i += 20) factors[i] = 1.2;
  const Comparison made = compared(factors, 0.012);  // 1.7 % between two runs
  EXPECT_GT(made.null_check->fit.errors, 2);
  EXPECT_LE(counted(made, Verdict::slower) + counted(made, Verdict::faster), 16u);
  EXPECT_GE(counted(made, Verdict::slower), 14u);
  EXPECT_NE(null_check_text(*made.null_check).find("with errors widened"), std::string::npos);
}

TEST(ExcessScatter, of_one_timer_widens_that_timer_alone_in_whichever_order_they_stand) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  const auto run_of = [&](bool is_loud_first, bool is_candidate) {
    std::mt19937_64 own(is_candidate ? 11 : 12);
    plumbline::Run run = planted::run_on("NVIDIA H200");
    for (int i = 0; i < 200; ++i) {
      const std::string id = "op/libtorch/n=" + std::to_string(i);
      const double loud = 1e-5 * std::exp(0.012 * normal(own)),
                   quiet = 1e-5 * std::exp(0.001 * normal(own)) *
                           (is_candidate && i % 20 == 0 ? 1.05 : 1);
      if (is_loud_first) planted::add_case(run, id, loud, 0.001, "gpu_time_cold");
      planted::add_case(run, id, quiet, 0.001, "kernel_time_cold");
      if (!is_loud_first) planted::add_case(run, id, loud, 0.001, "gpu_time_cold");
      normal.reset();
    }
    return run;
  };
  std::vector<std::map<std::pair<std::string, std::string>, Verdict>> verdicts;
  for (const bool is_loud_first : {true, false}) {
    const Comparison made =
        compare(run_of(is_loud_first, false), run_of(is_loud_first, true), default_rule("cuda"));
    EXPECT_EQ(made.null_check->metric, "gpu_time_cold");
    EXPECT_GT(made.null_check->fit.errors, 2);
    EXPECT_EQ(counted(made, Verdict::slower), 10u);
    auto& found = verdicts.emplace_back();
    for (const Finding& finding : made.findings)
      found[{finding.case_id, finding.metric}] = finding.verdict;
  }
  EXPECT_EQ(verdicts[0], verdicts[1]);
}

TEST(ExcessScatter, is_not_what_most_cases_changed_by_whichever_way) {
  std::vector<double> all(300), most(300, 1.0), some(300, 1.0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i % 2 ? 1.05 : 0.95;
    if (i % 10 < 8) most[i] = i % 2 ? 1.05 : 0.95;
    if (i % 10 < 4) some[i] = i % 2 ? 1.05 : 0.95;
  }
  for (const auto* factors : {&all, &most, &some}) {
    const std::size_t changed = 300 - std::size_t(std::ranges::count(*factors, 1.0));
    const Comparison made = compared(*factors);
    EXPECT_GE(counted(made, Verdict::slower) + counted(made, Verdict::faster), changed * 97 / 100)
        << null_check_text(*made.null_check);
  }
}

}  // namespace
}  // namespace plumbline
