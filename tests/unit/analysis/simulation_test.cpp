// Error rates of a verdict on simulated devices: seeded, so a failure means that the method
// changed.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <random>

#include "analysis/compare/compare.h"
#include "support/time_limit.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

using planted::Noise;

/// H200: visit 0.25 %, block log-normal with median 1 % and 95 % within 0.3-3 %, run 0.2 %.
Noise gpu_noise() { return {.block_sd_spread = 0.5874}; }
/// Processes on shared CPUs.
Noise cpu_noise() { return {.visit_sd = 0.04, .block_sd = 0.03, .run_sd = 0.01, .blocks = 8}; }

struct Tally {
  std::size_t cases = 0, slower = 0, faster = 0, same = 0, unresolved = 0, shifts = 0, alarms = 0,
              others = 0;  // runs with exit code 1, with 3
  std::size_t planted = 0, found = 0;

  void add(const Comparison& comparison, double planted_factor, std::size_t planted_each) {
    for (const Finding& finding : comparison.findings) {
      const std::size_t number = std::stoul(finding.case_id.substr(finding.case_id.find("n=") + 2));
      const bool is_planted = planted_factor != 1 && number % planted_each == 0;
      const Verdict verdict = finding.verdict;
      if (is_planted) {
        ++planted;
        found += verdict == Verdict::slower;
        continue;
      }
      ++cases;
      slower += verdict == Verdict::slower;
      faster += verdict == Verdict::faster;
      same += verdict == Verdict::same;
      unresolved += verdict == Verdict::unresolved;
    }
    shifts += comparison.shift.has_value();
    const int code = exit_code(comparison);
    alarms += code == 1;
    others += code == 3;
  }

  static double percent(std::size_t part, std::size_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  }
  void print(const std::string& what) const {
    std::printf("%-36s", what.c_str());
    if (cases > 0)
      std::printf(" unchanged %zu: SLOWER %zu, FASTER %zu, SAME %.1f %%, UNRESOLVED %.1f %%;",
                  cases, slower, faster, percent(same, cases), percent(unresolved, cases));
    if (planted > 0) std::printf(" planted %zu: found %.1f %%;", planted, percent(found, planted));
    std::printf(" shifts %zu, exit codes 1: %zu, 3: %zu\n", shifts, alarms, others);
  }
  double power() const { return percent(found, planted) / 100; }
};

/// Runs `seeds` comparisons of `cases` cases. Every `planted_each`-th is slower by `factor`, all by
/// `shift`, and each whole run deviates by `run_sd`.
Tally simulate(int seeds, std::size_t cases, const Noise& noise, const std::string& kind,
               double factor = 1, double common_sd = 0, std::size_t planted_each = 20) {
  Tally tally;
  for (int seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> normal;
    const std::vector<double> sds = planted::block_sds(cases, noise, random);
    std::vector<double> before(cases, std::exp(common_sd * normal(random)));
    std::vector<double> after(cases, std::exp(common_sd * normal(random)));
    for (std::size_t i = 0; i < cases; i += planted_each) after[i] *= factor;
    const Run baseline = planted::simulate(before, sds, noise, random, 4, kind);
    const Run candidate = planted::simulate(after, sds, noise, random, 4, kind);
    tally.add(compare(baseline, candidate, default_rule(kind)), factor, planted_each);
  }
  return tally;
}

TEST(Simulation, gpu_runs_of_the_same_code_are_silent) {
  const Tally tally = simulate(20, 200, gpu_noise(), "cuda");
  tally.print("GPU A/A, 20 seeds x 200 cases");
  EXPECT_LE(tally.slower + tally.faster, 1u);
  EXPECT_EQ(tally.shifts, 0u);
  EXPECT_GE(tally.same, tally.cases / 2);
}

TEST(Simulation, gpu_slowdowns_of_5_percent_are_found_and_nothing_else) {
  const Tally tally = simulate(20, 200, gpu_noise(), "cuda", 1.05);
  tally.print("GPU +5 % in 1 of 20");
  EXPECT_GE(tally.power(), 0.95);
  EXPECT_LE(tally.slower + tally.faster, 2u);
}

TEST(Simulation, gpu_slowdowns_of_3_percent_are_mostly_found) {
  const Tally tally = simulate(20, 200, gpu_noise(), "cuda", 1.03);
  tally.print("GPU +3 % in 1 of 20");
  EXPECT_GE(tally.power(), 0.5);
  EXPECT_LE(tally.slower + tally.faster, 2u);
}

TEST(Simulation, cpu_runs_of_the_same_code_are_silent) {
  const Tally tally = simulate(50, 40, cpu_noise(), "cpu");
  tally.print("CPU A/A, 50 seeds x 40 cases");
  EXPECT_EQ(tally.alarms, 0u);
}

TEST(Simulation, cpu_runs_of_the_same_code_are_silent_even_if_whole_runs_move_by_3_percent) {
  Noise noise = cpu_noise();
  noise.visit_sd = 0.05;
  const Tally tally = simulate(50, 40, noise, "cpu", 1, 0.03 / 2);
  tally.print("CPU A/A, visits 5 %, runs move 3 %");
  EXPECT_EQ(tally.slower + tally.faster, 0u);
  EXPECT_EQ(tally.alarms, 0u);
  EXPECT_GT(tally.others, 25u) << "most could not have shown 10 %, which their exit code says";
}

TEST(Simulation, cpu_slowdowns_of_50_percent_are_always_found) {
  for (const std::size_t cases : {1u, 2u, 5u, 40u}) {
    const Tally tally = simulate(50, cases, cpu_noise(), "cpu", 1.5, 0.01);
    tally.print("CPU +50 % in 1 of 20, cases: " + std::to_string(cases));
    EXPECT_EQ(tally.found, tally.planted) << cases << " cases";
    EXPECT_EQ(tally.slower + tally.faster, 0u);
  }
}

TEST(Simulation, cases_that_slow_down_within_a_run_that_is_slower_as_a_whole_are_told_apart) {
  for (const std::string kind : {"cuda", "cpu"}) {
    std::mt19937_64 random(11);
    const Noise noise = kind == "cuda" ? gpu_noise() : Noise{.visit_sd = 0.01, .run_sd = 0.005};
    const std::vector<double> sds = planted::block_sds(40, noise, random);
    const double all = kind == "cuda" ? 1.1 : 1.25, further = kind == "cuda" ? 1.2 : 1.5;
    std::vector<double> after(40, all);
    for (const std::size_t i : {3u, 17u, 31u}) after[i] *= further;
    const auto baseline =
        planted::simulate(std::vector<double>(40, 1), sds, noise, random, 4, kind);
    const auto candidate = planted::simulate(after, sds, noise, random, 4, kind);
    const Comparison found = compare(baseline, candidate, default_rule(kind));
    ASSERT_TRUE(found.shift) << kind;
    EXPECT_NEAR(found.shift->change, all - 1, 0.01);
    EXPECT_LT(found.shift->change_low, all - 1);
    EXPECT_GT(found.shift->change_high, all - 1);
    EXPECT_EQ(found.count(Verdict::slower), 3u) << kind;
    EXPECT_EQ(found.count(Verdict::faster), 0u) << kind;
    EXPECT_NEAR(*found.findings[0].raw_change, all * further - 1, 0.06);
    EXPECT_NEAR(*found.findings[0].change, further - 1, 0.05);
    EXPECT_EQ(exit_code(found), 1);
    std::printf("%s: %s\n", kind.c_str(), census_text(census_of(found)).c_str());
  }
}

TEST(Simulation, a_slowdown_of_a_large_minority_is_no_shift_and_makes_nobody_faster) {
  std::mt19937_64 random(5);
  const Noise noise = gpu_noise();
  const std::vector<double> sds = planted::block_sds(400, noise, random);
  std::vector<double> after(400, 1);
  for (std::size_t i = 0; i < 160; ++i) after[i] = 1.15;
  const auto baseline = planted::simulate(std::vector<double>(400, 1), sds, noise, random);
  const auto candidate = planted::simulate(after, sds, noise, random);
  const Comparison found = compare(baseline, candidate, default_rule("cuda"));
  EXPECT_FALSE(found.shift);
  EXPECT_EQ(found.count(Verdict::slower), 160u);
  EXPECT_EQ(found.count(Verdict::faster), 0u);
}

TEST(Simulation, two_runs_of_100000_rows_and_30_samples_are_compared_in_half_a_second) {
  plumbline::Run sides[2];  // inside a test, Run is a member of the test
  for (auto& run : sides) {
    run = planted::run_on("NVIDIA H200");
    run.rows.reserve(100000);
    for (int i = 0; i < 100000 / 6; ++i)
      for (int round = 0; round < 3; ++round)
        for (const char* metric : {"gpu_time_cold", "gpu_time_hot"}) {
          ResultRow row = planted::row_of("gemm/libtorch/n=" + std::to_string(i), round);
          row.metric = metric;
          for (int block = 0; block < 3; ++block) {
            double samples[10];
            for (int k = 0; k < 10; ++k)
              samples[k] = 1e-5 * (1 + 1e-4 * ((i * 7 + round * 31 + block * 13 + k * 29) % 23));
            row.samples.add_block(samples);
          }
          run.rows.push_back(std::move(row));
        }
  }
  const auto peak_mb = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
  };
  const double runs_mb = peak_mb();
  const auto start = std::chrono::steady_clock::now();
  const Comparison found = compare(sides[0], sides[1], default_rule("cuda"));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf(
      "compared 2 x %zu rows in %.3f s; peak memory %.0f MB with the runs, %.0f MB before\n",
      sides[0].rows.size(), took.count(), peak_mb(), runs_mb);
  EXPECT_EQ(found.count(Verdict::same), 16666u);
  // Machines that run tests are shared: the time is printed, and the limit is generous.
  EXPECT_LT(took.count(), time_limit_s(2));
}

}  // namespace
}  // namespace plumbline
