// Slowdowns that a comparison once passed over with exit code 0. Planted, seeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/confirm/screen_alone.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

/// 10^4 cases of 40 ops against one accepted run, without history. The first `slowed` cases take
/// `factor` times as long. `run_sd`: how far a case differs between whole runs.
struct Night {
  std::size_t slowed = 0;
  double factor = 1, visit_sd = 0.004, run_sd = 0;

  Comparison compared(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    const planted::Noise noise{
        .visit_sd = visit_sd, .block_sd = 0.004, .run_sd = run_sd, .blocks = 8};
    std::vector<double> factors(10'000, 1.0);
    const std::vector<double> sds(factors.size(), noise.block_sd);
    const Run baseline = planted::simulate(factors, sds, noise, random, 40);
    std::fill_n(factors.begin(), slowed, factor);
    Comparison made =
        compare(baseline, planted::simulate(factors, sds, noise, random, 40), default_rule("cuda"));
    hold_screen(made);
    return made;
  }

  /// Cases that look slower: the slowed ones, and others.
  struct Calls {
    std::size_t found = 0, wrong = 0;
  };
  Calls calls_of(const Comparison& made) const {
    Calls calls;
    for (const Finding& finding : made.findings) {
      if (!is_of_time(finding.verdict)) continue;
      const auto number = std::stoul(finding.case_id.substr(finding.case_id.rfind('=') + 1));
      ++(number < slowed && finding.verdict == Verdict::looks_slower ? calls.found : calls.wrong);
    }
    return calls;
  }
};

TEST(FalseGreens, five_hundred_of_10000_cases_10_percent_slower_look_slower_without_history) {
  for (const auto& [visit_sd, run_sd] : {std::pair(0.004, 0.0), std::pair(0.001, 0.004)}) {
    const Night night{500, 1.10, visit_sd, run_sd};
    const Comparison made = night.compared(1);
    const Night::Calls calls = night.calls_of(made);
    std::printf("visits %.1f %%, runs %.1f %%: found %zu of 500, %zu others called\n",
                100 * visit_sd, 100 * run_sd, calls.found, calls.wrong);
    EXPECT_GE(calls.found, 490u);
    EXPECT_LE(calls.wrong, 5u);
    EXPECT_EQ(exit_code(made), 3);
  }
}

TEST(FalseGreens, one_of_10000_cases_5_percent_slower_is_no_clean_answer) {
  for (const auto& [visit_sd, run_sd] : {std::pair(0.001, 0.0005), std::pair(0.0025, 0.002),
                                         std::pair(0.004, 0.0), std::pair(0.001, 0.004)})
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Night night{1, 1.05, visit_sd, run_sd};
      const Comparison made = night.compared(seed);
      const Night::Calls calls = night.calls_of(made);
      const Finding& slowed =
          *std::ranges::find(made.findings, "op0/libtorch/n=0", &Finding::case_id);
      std::printf("visits %.2f %%, runs %.2f %%: %s, p %.1e; %s\n", 100 * visit_sd, 100 * run_sd,
                  std::string(name_of(slowed.verdict)).c_str(), *slowed.p_value,
                  census_text(census_of(made)).c_str());
      EXPECT_NE(slowed.verdict, Verdict::same);
      EXPECT_EQ(exit_code(made), 3);
      EXPECT_EQ(calls.wrong, 0u);
    }
}

/// Times of 24 cases of a quick suite on a quiet CPU, and `slower` for one softmax.
plumbline::Run quick_run(double slower, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  plumbline::Run run = planted::run_on("AMD EPYC", "cpu");
  for (const char* op : {"gemm", "softmax", "layer_norm", "relu"})
    for (int i = 0; i < 6; ++i) {
      const std::string id = std::string(op) + "/libtorch/n=" + std::to_string(i);
      const double level = (id == "softmax/libtorch/n=3" ? slower : 1) * 1e-4 * (i + 1) *
                           std::exp(0.003 * normal(random));
      for (int round = 0; round < 3; ++round)
        planted::add_visit(run, id, round, level * std::exp(0.003 * normal(random)));
    }
  return run;
}

TEST(FalseGreens, a_softmax_30_percent_slower_on_a_quiet_cpu_looks_slower_and_so_do_25_and_15) {
  for (const double slower : {1.15, 1.25, 1.30})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Comparison made =
          compare(quick_run(1, seed), quick_run(slower, seed + 100), default_rule("cpu"));
      hold_screen(made);
      EXPECT_EQ(made.count(Verdict::looks_slower), 1u) << slower << ", seed " << seed;
      EXPECT_EQ(made.findings.at(0).case_id, "softmax/libtorch/n=3");
      EXPECT_EQ(exit_code(made), 3) << slower << ", seed " << seed;
    }
}

}  // namespace
}  // namespace plumbline
