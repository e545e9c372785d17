// Runs of which all cases are slower by the same: none is called SAME, and the exit code is 3,
// however many there are.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/confirm/screen_alone.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

/// All of `cases` cases are 8 % slower. The first `unchanged` are not.
Comparison all_slower(std::size_t cases, int ops, std::uint64_t seed, std::size_t unchanged = 0) {
  std::mt19937_64 random(seed);
  const planted::Noise noise{.block_sd = 0.004};
  const std::vector<double> sds(cases, noise.block_sd);
  std::vector<double> factors(cases, 1.0);
  const Run baseline = planted::simulate(factors, sds, noise, random, ops);
  for (std::size_t i = unchanged; i < cases; ++i) factors[i] = 1.08;
  return compare(baseline, planted::simulate(factors, sds, noise, random, ops),
                 default_rule("cuda"));
}

std::set<Verdict> verdicts_of(const Comparison& made) {
  std::set<Verdict> found;
  for (const Finding& finding : made.findings) found.insert(finding.verdict);
  return found;
}

TEST(SameUnderShift, twelve_cases_and_more_are_one_shift_and_none_is_the_same) {
  for (const std::size_t cases : {12u, 13u, 40u})
    for (const int ops : {1, 4})
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Comparison made = all_slower(cases, ops, seed);
        ASSERT_TRUE(made.shift) << cases << " cases, seed " << seed;
        EXPECT_NEAR(made.shift->change, 0.08, 0.01);
        EXPECT_EQ(made.count(Verdict::same), 0u) << cases << ": " << census_text(census_of(made));
        EXPECT_EQ(made.count(Verdict::slower) + made.count(Verdict::faster), 0u) << cases;
        EXPECT_EQ(exit_code(made), 3) << cases;
        hold_screen(made);
        EXPECT_EQ(exit_code(made), 3) << cases;
      }
}

TEST(SameUnderShift, fewer_cases_are_slower_each_with_the_same_exit_code) {
  for (const std::size_t cases : {5u, 8u, 11u})
    for (const int ops : {1, 4})
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Comparison made = all_slower(cases, ops, seed);
        EXPECT_FALSE(made.has_shifted()) << cases;
        EXPECT_EQ(verdicts_of(made), std::set{Verdict::slower}) << cases;
        hold_screen(made);
        EXPECT_EQ(verdicts_of(made), std::set{Verdict::looks_slower}) << cases;
        EXPECT_EQ(exit_code(made), 3) << cases;
      }
}

TEST(SameUnderShift, a_few_cases_that_did_not_all_move_are_judged_one_by_one) {
  for (const std::size_t cases : {5u, 8u, 11u})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Comparison made = all_slower(cases, 4, seed, 1);
      EXPECT_FALSE(made.has_shifted()) << cases << " cases, seed " << seed;
      EXPECT_EQ(made.count(Verdict::slower), cases - 1) << cases;
      EXPECT_EQ(made.count(Verdict::faster), 0u) << cases;
    }
}

TEST(SameUnderShift, few_unchanged_cases_show_no_shift) {
  for (const std::string kind : {"cuda", "cpu"}) {
    int shifts = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      std::mt19937_64 random(seed);
      const planted::Noise noise{.visit_sd = kind == "cuda" ? 0.004 : 0.04,
                                 .run_sd = kind == "cuda" ? 0.004 : 0.02};
      const std::vector<double> factors(5, 1.0), sds(5, noise.block_sd);
      const plumbline::Run baseline = planted::simulate(factors, sds, noise, random, 4, kind);
      shifts += compare(baseline, planted::simulate(factors, sds, noise, random, 4, kind),
                        default_rule(kind))
                    .has_shifted();
    }
    EXPECT_LE(shifts, 1) << kind;
  }
}

}  // namespace
}  // namespace plumbline
