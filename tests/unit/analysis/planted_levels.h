/// Runs with planted standard deviations at each level, for tests of the variance table.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "analysis/variance/variance.h"
#include "stats/descriptive.h"
#include "unit/analysis/planted.h"

namespace plumbline::planted_levels {

using Runs = std::vector<Run>;

/// Relative standard deviations of each level, and the shape of the runs.
struct Planted {
  double launch = 0, block = 0, placement = 0, process = 0, run = 0;
  double slope_per_s = 0;
  int runs = 4, rounds = 3, blocks = 16, samples = 10;
  int revisit_every = 4;  // every n-th block is at an earlier placement; 0 = none
  int cases = 300;
};

inline constexpr double kBlockSeconds = 0.01;

/// One visit; `level` is the logarithm of the factor from run and process.
inline ResultRow visit(const Planted& planted, const std::string& id, int round, double level,
                       std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  ResultRow row = planted::row_of(id, round);
  std::vector<double> places;
  for (int b = 0; b < planted.blocks; ++b) {
    const bool again =
        planted.revisit_every > 0 && b % planted.revisit_every == planted.revisit_every - 1;
    const std::size_t place =
        again ? static_cast<std::size_t>(b / 2) % places.size() : places.size();
    if (!again) places.push_back(planted.placement * normal(random));
    const double time = kBlockSeconds * b;
    const double center =
        level + places[place] + planted.block * normal(random) + planted.slope_per_s * time;
    std::vector<double> samples;
    for (int i = 0; i < planted.samples; ++i)
      samples.push_back(1e-5 * std::exp(center + planted.launch * normal(random)));
    row.samples.add_block(samples);
    row.block_times_s.push_back(time);
    row.block_placements.push_back(static_cast<std::int64_t>(place) + 1000 * round);
  }
  return row;
}

inline Runs runs_of(const Planted& planted, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Runs runs;
  for (int r = 0; r < planted.runs; ++r) {
    Run& run = runs.emplace_back(planted::run_on("NVIDIA H200"));
    for (int i = 0; i < planted.cases; ++i) {
      const double night = planted.run * normal(random);
      for (int round = 0; round < planted.rounds; ++round)
        run.rows.push_back(visit(planted, "op/libtorch/n=" + std::to_string(i), round,
                                 night + planted.process * normal(random), random));
    }
  }
  return runs;
}

/// Root of the mean variance over cases: single cases are unbiased for the variance.
inline double mean_sd(const std::vector<CaseVariance>& table, Level level) {
  std::vector<double> variances;
  for (const CaseVariance& row : table) variances.push_back(row.of(level).variance);
  return std::sqrt(mean(variances));
}

inline void expect_unknown(const CaseVariance& row, std::initializer_list<Level> levels) {
  for (const Level level : levels) {
    EXPECT_TRUE(std::isnan(row.of(level).variance)) << name_of(level);
    EXPECT_TRUE(std::isnan(row.of(level).in_estimate)) << name_of(level);
  }
}

}  // namespace plumbline::planted_levels
