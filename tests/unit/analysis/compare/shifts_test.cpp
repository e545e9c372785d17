// Clocks and bandwidth that moved for a part of a run, or for all of it. Seeded.
#include "analysis/compare/shifts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "analysis/compare/compare.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

/// How many cases are compute-bound, memory-bound and neither, and how much longer they take.
struct Kind {
  int cases = 40;
  double factor = 1;
};
struct Plant {
  Kind compute{}, memory{}, neither{};
  int ops = 4;
};

/// Cost and calibration of a launch of 10 µs: it needs 8 µs at one of its limits, or little at
/// both.
void set_cost(plumbline::Run& run, const Plant& plant) {
  run.info.calibration = {{"copy_bytes_per_s", 2e12}, {"matmul_float16_flops_per_s", 1e14}};
  for (ResultRow& row : run.rows) {
    const int i = std::stoi(row.case_id.substr(row.case_id.find("n=") + 2));
    row.case_id = row.op + "/libtorch/dtype=float16/n=" + std::to_string(i);
    const bool is_compute = i < plant.compute.cases,
               is_memory = !is_compute && i < plant.compute.cases + plant.memory.cases;
    row.flops = is_compute ? 8e8 : 1e6;
    row.bytes = is_memory ? 1.6e7 : 1e5;
  }
}

Comparison compared(const Plant& plant, std::uint64_t seed = 1, int slower = 0) {
  std::mt19937_64 random(seed);
  std::vector<double> after;
  for (const Kind& kind : {plant.compute, plant.memory, plant.neither})
    after.insert(after.end(), std::size_t(kind.cases), kind.factor);
  for (int i = 0; i < slower; ++i) after[std::size_t(i) * 7] *= 1.1;
  const planted::Noise noise{.block_sd = 0.004};
  const std::vector<double> sds(after.size(), noise.block_sd), before(after.size(), 1.0);
  plumbline::Run baseline = planted::simulate(before, sds, noise, random, plant.ops);
  plumbline::Run candidate = planted::simulate(after, sds, noise, random, plant.ops);
  set_cost(baseline, plant);
  set_cost(candidate, plant);
  return compare(baseline, candidate, default_rule("cuda"));
}

void expect_shift(const RunShift& shift, RunPart part, double change, std::size_t cases) {
  EXPECT_EQ(shift.part, part);
  EXPECT_NEAR(shift.change, change, 0.002);
  EXPECT_LT(shift.change_low, shift.change);
  EXPECT_GT(shift.change_high, shift.change);
  EXPECT_LT(shift.change_high - shift.change_low, 0.005);
  EXPECT_NEAR(double(shift.cases), double(cases), 0.1 * double(cases));
}

void expect_no_alarm(const Comparison& found) {
  EXPECT_EQ(found.count(Verdict::slower), 0u) << census_text(census_of(found));
  EXPECT_EQ(found.count(Verdict::faster), 0u) << census_text(census_of(found));
}

TEST(Shifts, clocks_that_fell_by_3_percent_are_one_finding_of_the_compute_bound_part) {
  const Comparison found = compared({.compute = {.factor = 1 / 0.97}});
  EXPECT_FALSE(found.shift);
  ASSERT_EQ(found.part_shifts.size(), 1u);
  expect_shift(found.part_shifts[0], RunPart::compute, 1 / 0.97 - 1, 40);
  expect_no_alarm(found);
  EXPECT_EQ(exit_code(found), 3);
  EXPECT_NE(found.shifts_text().find("The compute-bound part of the run is 3."), std::string::npos)
      << census_text(census_of(found));
  for (const Finding& finding : found.findings) {
    const bool is_compute = std::stoi(finding.case_id.substr(finding.case_id.find("n=") + 2)) < 40;
    const double off = std::log1p(*finding.raw_change) - std::log1p(*finding.change);
    EXPECT_NEAR(off, is_compute ? -std::log(0.97) : 0, 0.002) << finding.case_id;
  }
}

TEST(Shifts, bandwidth_that_fell_by_2_percent_is_one_finding_of_the_memory_bound_part) {
  const Comparison found = compared({.memory = {.factor = 1 / 0.98}});
  EXPECT_FALSE(found.shift);
  ASSERT_EQ(found.part_shifts.size(), 1u);
  expect_shift(found.part_shifts[0], RunPart::memory, 1 / 0.98 - 1, 40);
  expect_no_alarm(found);
}

TEST(Shifts, both_parts_that_moved_are_two_findings) {
  for (const int others : {0, 40}) {
    const Comparison found = compared({.compute = {.factor = 1 / 0.97},
                                       .memory = {.factor = 1 / 0.98},
                                       .neither = {.cases = others}});
    EXPECT_FALSE(found.shift) << others;
    ASSERT_EQ(found.part_shifts.size(), 2u) << others;
    expect_shift(found.part_shifts[0], RunPart::compute, 1 / 0.97 - 1, 40);
    expect_shift(found.part_shifts[1], RunPart::memory, 1 / 0.98 - 1, 40);
    expect_no_alarm(found);
    EXPECT_NE(found.shifts_text().find(", the memory-bound part "), std::string::npos);
  }
}

TEST(Shifts, parts_that_moved_alike_are_the_whole_run) {
  const Comparison found = compared({{.factor = 1.04}, {.factor = 1.04}, {.factor = 1.04}});
  ASSERT_TRUE(found.shift);
  expect_shift(*found.shift, RunPart::whole, 0.04, 120);
  EXPECT_TRUE(found.part_shifts.empty());
  expect_no_alarm(found);
}

TEST(Shifts, a_part_that_moved_farther_than_the_whole_run_stands_beside_it) {
  const Comparison found = compared({{.factor = 1.04}, {.factor = 1.07}, {.factor = 1.04}});
  ASSERT_TRUE(found.shift);
  EXPECT_NEAR(found.shift->change, 0.04, 0.002);
  ASSERT_EQ(found.part_shifts.size(), 1u);
  expect_shift(found.part_shifts[0], RunPart::memory, 0.07, 40);
  expect_no_alarm(found);
  EXPECT_NE(found.shifts_text().find(", its memory-bound part "), std::string::npos);
}

TEST(Shifts, parts_that_moved_to_either_side_of_the_rest_stand_beside_the_whole_run) {
  const Comparison found = compared({{.factor = 1.03}, {.factor = 1.07}, {.factor = 1.05}});
  ASSERT_TRUE(found.shift);
  expect_shift(*found.shift, RunPart::whole, 0.05, 40);
  ASSERT_EQ(found.part_shifts.size(), 2u);
  expect_shift(found.part_shifts[0], RunPart::compute, 0.03, 40);
  expect_shift(found.part_shifts[1], RunPart::memory, 0.07, 40);
  expect_no_alarm(found);
}

TEST(Shifts, a_part_that_stayed_where_the_rest_of_the_run_moved_is_told_and_nobody_is_faster) {
  // Clocks also move launches far from both limits.
  const Comparison found = compared({{.factor = 1.04}, {}, {.factor = 1.04}});
  ASSERT_TRUE(found.shift);
  EXPECT_NEAR(found.shift->change, 0.04, 0.002);
  ASSERT_EQ(found.part_shifts.size(), 1u);
  EXPECT_EQ(found.part_shifts[0].part, RunPart::memory);
  EXPECT_NEAR(found.part_shifts[0].change, 0, 0.002);
  expect_no_alarm(found);
}

TEST(Shifts, cases_of_no_part_that_moved_alone_are_judged_case_by_case) {
  const Comparison found = compared({{}, {}, {.factor = 1.06}});
  EXPECT_FALSE(found.has_shifted());
  EXPECT_GE(found.count(Verdict::slower), 38u);
}

TEST(Shifts, a_case_that_slowed_down_within_a_part_that_moved_is_still_found) {
  const Comparison found = compared({.compute = {.factor = 1 / 0.97}}, 2, 3);
  ASSERT_EQ(found.part_shifts.size(), 1u);
  EXPECT_EQ(found.count(Verdict::slower), 3u);
  EXPECT_NEAR(*found.findings[0].change, 0.1, 0.02);
  EXPECT_NEAR(*found.findings[0].raw_change, 1.1 / 0.97 - 1, 0.02);
  EXPECT_EQ(exit_code(found), 1);
}

TEST(Shifts, a_part_of_too_few_cases_says_nothing) {
  const Comparison found = compared({.compute = {.cases = 8, .factor = 1.06}});
  EXPECT_FALSE(found.has_shifted());
  EXPECT_EQ(found.count(Verdict::slower), 8u);
  EXPECT_EQ(exit_code(found), 1);
}

TEST(Shifts, a_part_of_one_implementation_is_judged_case_by_case) {
  Plant plant{.compute = {.factor = 1.06}, .memory = {}, .neither = {}, .ops = 1};
  const Comparison found = compared(plant);
  EXPECT_FALSE(found.has_shifted());
  EXPECT_GE(found.count(Verdict::slower), 38u);
}

/// Changes of `moved` compute-bound cases by `shift` (log) and of as many other cases by nothing,
/// with scatter from run to run: `draw` times 0.36 %.
RunShifts shifts_of(std::size_t moved, double shift, const auto& draw) {
  std::vector<Finding> findings(2 * moved);
  std::vector<Contrast> contrasts(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    findings[i].case_id = std::to_string(i);
    findings[i].op = "op" + std::to_string(i % 4);
    findings[i].unit = std::string("s");
    contrasts[i].finding = i;
    contrasts[i].part = i < moved ? RunPart::compute : RunPart::whole;
    contrasts[i].change = (i < moved ? shift : 0) + 0.0036 * draw();
  }
  return find_shifts(contrasts, default_rule("cuda"), findings).told;
}

TEST(Shifts, intervals_hold_the_planted_shift_as_often_as_they_say) {
  constexpr int kDraws = 2000;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(4);
  for (const std::size_t cases : {13u, 40u})
    for (const bool has_heavy_tails : {false, true}) {
      int told = 0, missed = 0;
      for (int i = 0; i < kDraws; ++i)
        for (const RunShift& shift : shifts_of(cases, std::log(1.03), [&] {
                                       return has_heavy_tails ? heavy(random) : normal(random);
                                     }).parts) {
          ++told;
          missed += shift.change_low > 0.03 || shift.change_high < 0.03;
        }
      EXPECT_GE(told, 0.85 * kDraws);
      EXPECT_LE(missed, 0.03 * told) << cases << " cases; at 98 %, one in a hundred more";
    }
}

TEST(Shifts, a_part_of_which_a_third_did_not_move_is_judged_case_by_case) {
  // 40 of the 60 compute-bound cases are planted; the others count as moved too.
  std::vector<Finding> findings(160);
  std::vector<Contrast> contrasts(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    findings[i].case_id = std::to_string(i);
    findings[i].op = "op" + std::to_string(i % 4);
    findings[i].unit = std::string("s");
    contrasts[i].finding = i;
    contrasts[i].part = i < 60 ? RunPart::compute : RunPart::whole;
    contrasts[i].change = (i < 40 ? 0.05 : 0) + 1e-4 * double(i % 7);
  }
  EXPECT_TRUE(find_shifts(contrasts, default_rule("cuda"), findings).told.parts.empty());
  for (std::size_t i = 40; i < 58; ++i) contrasts[i].change += 0.05;
  EXPECT_EQ(find_shifts(contrasts, default_rule("cuda"), findings).told.parts.size(), 1u);
}

TEST(Shifts, runs_of_the_same_code_show_none) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Comparison found = compared({{.cases = 13}, {.cases = 13}, {.cases = 13}}, seed);
    EXPECT_FALSE(found.has_shifted()) << seed << ": " << census_text(census_of(found));
  }
}

/// A run of `gpu` × 10 µs on the GPU and `host` × 10 µs of the host for each of 40 cases.
plumbline::Run with_host(double gpu, double host, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<double> sds(40, 0.004);
  plumbline::Run run = planted::simulate(std::vector<double>(40, gpu), sds, {}, random);
  plumbline::Run of_host = planted::simulate(std::vector<double>(40, host), sds, {}, random);
  for (ResultRow& row : of_host.rows) {
    row.metric = "host_time";
    run.rows.push_back(std::move(row));
  }
  return run;
}

TEST(Shifts, the_host_is_a_part_by_itself) {
  const plumbline::Run baseline = with_host(1, 1, 1);
  const Comparison slow_host = compare(baseline, with_host(1, 1.2, 2), default_rule("cuda"));
  EXPECT_FALSE(slow_host.shift) << slow_host.shifts_text();
  ASSERT_EQ(slow_host.part_shifts.size(), 1u);
  expect_shift(slow_host.part_shifts[0], RunPart::host, 0.2, 40);
  expect_no_alarm(slow_host);
  for (const Finding& finding : slow_host.findings)
    if (finding.metric != "host_time") {
      EXPECT_EQ(finding.change, finding.raw_change);
    }

  const Comparison slow_gpu = compare(baseline, with_host(1.05, 1, 3), default_rule("cuda"));
  ASSERT_TRUE(slow_gpu.shift);
  expect_shift(*slow_gpu.shift, RunPart::whole, 0.05, 40);
  EXPECT_TRUE(slow_gpu.part_shifts.empty());

  const Comparison small = compare(baseline, with_host(1, 1.06, 4), default_rule("cuda"));
  EXPECT_FALSE(small.has_shifted()) << small.shifts_text();
  expect_no_alarm(small);
  for (const Finding& finding : small.findings)
    EXPECT_NEAR(*finding.raw_change, finding.metric == "host_time" ? 0.06 : 0, 0.02);
}

TEST(Shifts, a_part_that_stayed_while_the_rest_moved_is_judged_as_it_is) {
  // A single op, or too few cases to be significant: no part has moved.
  const Plant of_one_op{{30, 0.97}, {40, 1}, {30, 0.97}}, few{{30, 0.97}, {11, 1}, {40, 0.97}};
  for (const auto& [plant, ops] : {std::pair(of_one_op, 1), std::pair(few, 4)}) {
    Plant planted = plant;
    planted.ops = ops;
    const Comparison found = compared(planted);
    expect_no_alarm(found);
    for (const Finding& finding : found.findings) {
      const bool is_taken_off = std::abs(*finding.change - *finding.raw_change) > 1e-12;
      EXPECT_EQ(is_taken_off, finding.part != RunPart::memory) << finding.case_id;
    }
  }
}

/// 100 cases, of which the first 60 take `factor` times as long, judged against an earlier run.
Comparison mostly_changed(double factor, double of_the_others = 1) {
  std::mt19937_64 random(11);
  std::vector<double> after(100, of_the_others);
  std::fill_n(after.begin(), 60, factor);
  const planted::Noise noise{.block_sd = 0.004};
  const std::vector<double> sds(after.size(), noise.block_sd), before(after.size(), 1.0);
  const Run baseline = planted::simulate(before, sds, noise, random);
  return compare(baseline, planted::simulate(after, sds, noise, random), default_rule("cuda"));
}

TEST(Shifts, cases_that_stayed_where_most_changed_are_not_called_changed) {
  for (const double factor : {1.05, 1 / 1.05}) {
    const Comparison found = mostly_changed(factor);
    ASSERT_TRUE(found.shift);
    EXPECT_NEAR(std::log1p(found.shift->change), std::log(factor), 0.003);
    EXPECT_EQ(found.shift->of_cases, 100u);
    EXPECT_NEAR(double(found.shift->cases), 60, 5);
    expect_no_alarm(found);
    std::size_t stayed = 0;
    for (const Finding& finding : found.findings) {
      if (finding.reason.find("only against the run's shift does it look changed") ==
          std::string::npos)
        continue;
      ++stayed;
      EXPECT_EQ(finding.verdict, Verdict::unresolved);
      EXPECT_GE(std::stoi(finding.case_id.substr(finding.case_id.find("n=") + 2)), 60);
      EXPECT_LE(*finding.p_value, 0.02) << "pairs measure it";
      ASSERT_TRUE(change_before_shift(finding));
      EXPECT_NEAR(*change_before_shift(finding), 0, 0.02);
    }
    EXPECT_GE(stayed, 36u);
    EXPECT_NE(found.shifts_text().find(" of 100 cases)"), std::string::npos)
        << census_text(census_of(found));
    EXPECT_EQ(exit_code(found), 3);
  }
}

TEST(Shifts, cases_that_moved_by_themselves_beyond_the_run_are_still_called) {
  EXPECT_GE(mostly_changed(1.05, 1.10).count(Verdict::slower), 36u);
  EXPECT_GE(mostly_changed(1.05, 0.95).count(Verdict::faster), 36u);
  EXPECT_EQ(mostly_changed(0.95, 0.975).count(Verdict::slower), 0u)
      << "got faster, if by less than the run did";
  EXPECT_EQ(mostly_changed(1.05, 0.99).count(Verdict::faster), 0u)
      << "1 % would not count without the shift";
}

/// An unchanged, noisy case in a run that became a third faster is not reported as half slower.
TEST(Shifts, what_stayed_beneath_a_large_shift_is_told_by_what_it_did_itself) {
  std::mt19937_64 random(7);
  constexpr std::size_t kCases = 60, kStayed = 6;
  std::vector<double> before(kCases, 1.0), after(kCases, 0.64), sds(kCases, 0.004);
  for (std::size_t i = 0; i < kStayed; ++i) {
    after[i] = 0.98;
    sds[i] = 0.25;
  }
  const planted::Noise noise{.block_sd = 0.004};
  const plumbline::Run baseline = planted::simulate(before, sds, noise, random, 4);
  const plumbline::Run candidate = planted::simulate(after, sds, noise, random, 4);
  const Comparison found = compare(baseline, candidate, default_rule("cuda"));
  ASSERT_TRUE(found.shift);
  std::size_t stayed = 0;
  for (const Finding& finding : found.findings) {
    const bool looks_slower = finding.change_low.value_or(0) > 0;
    if (!looks_slower || finding.raw_change.value_or(0) > *finding.change_low) continue;
    ++stayed;
    EXPECT_EQ(finding.verdict, Verdict::unresolved) << finding.case_id;
    EXPECT_NE(finding.reason.find(" in itself ("), std::string::npos) << finding.reason;
    EXPECT_FALSE(finding.reason.starts_with("looks")) << finding.reason;
  }
  EXPECT_GE(stayed, 1u);
}

}  // namespace
}  // namespace plumbline
