/// Whole nights, screened against one accepted run and confirmed in pairs, 10^4 cases each.
///
/// The noise is fixed: case × night Student t with 4 degrees of freedom, scale 0.2 %; processes
/// 0.25 %; blocks log-normal with median 1 %, 95 % within 0.3-3 %; 3 rounds of 32 blocks; 2 % of
/// the cases with two modes of processes 5 % apart. Seeded.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/compare/judge.h"
#include "analysis/confirm/confirm.h"
#include "analysis/confirm/controls.h"
#include "stats/descriptive.h"
#include "unit/analysis/simulated_pairs.h"

namespace plumbline::simulated {

inline constexpr std::size_t kCases = 10'000;
inline constexpr int kRounds = 3;
inline constexpr double kNightDf = 4;
inline constexpr std::size_t kFamilies = 40;  // ops

/// How much a whole night moves: each case by itself, and all cases of an op together.
struct NightNoise {
  double case_scale = 0.002, family_sd = 0;
};

/// A run's measurement of a case: log means of its visits.
using Measured = std::array<double, kRounds>;

class Nights {
 public:
  explicit Nights(std::uint64_t seed, const NightNoise& noise = {})
      : random_(seed), pairs_(seed + 1'000'000), noise_(noise) {
    for (std::size_t i = 0; i < kCases; ++i) cases_.push_back(pairs_.make_case(0, i % 50 == 0));
  }

  Measured run(const PairedCase& c, double level) {
    const double night = noise_.case_scale * student_(random_);
    Measured visits;
    for (double& visit : visits) {
      const double mode = c.is_bimodal && uniform_(random_) < 0.5 ? kModeGap : 0;
      visit = level + night + mode + kProcessSd * normal_(random_) +
              c.block_sd / std::sqrt(kBlocks) * normal_(random_);
    }
    return visits;
  }

  std::vector<Measured> run_all(double level) {
    std::array<double, kFamilies> families{};
    if (noise_.family_sd > 0)
      for (double& family : families) family = noise_.family_sd * normal_(random_);
    std::vector<Measured> all;
    for (std::size_t i = 0; i < kCases; ++i)
      all.push_back(run(cases_[i], level + families[i % kFamilies] + cases_[i].effect));
    return all;
  }

  /// Slows one in `each` cases by `effect` (log), including cases with modes; 0: none.
  void plant(double effect, std::size_t each) {
    for (std::size_t i = 0; i < kCases; ++i)
      cases_[i].effect = each && i % each == i / each % each ? effect : 0;
  }

  /// Screens a night against a baseline like compare(), using what it takes from both runs.
  /// `later`: results of cases that were run again afterwards, by number.
  Comparison screened(const std::vector<Measured>& baseline, const std::vector<Measured>& now,
                      const std::map<std::size_t, Measured>& later = {}) {
    Comparison made;
    made.rule = default_rule("cuda");
    contrasts_.clear();
    for (std::size_t i = 0; i < kCases; ++i) {
      Finding finding;
      finding.suite = "s";
      finding.case_id = std::to_string(i);
      finding.op = "op" + std::to_string(i % kFamilies);
      finding.metric = "gpu_time_cold";
      finding.unit = "s";
      finding.threshold = made.rule.effect_floor;
      made.findings.push_back(std::move(finding));
      Contrast contrast;
      contrast.finding = i;
      contrast.change = mean(now[i]) - mean(baseline[i]);
      contrast.df = 2 * (kRounds - 1);
      contrast.variance = (variance(now[i]) + variance(baseline[i])) / 2;
      contrast.block_floor = cases_[i].block_sd * cases_[i].block_sd / kBlocks;
      contrast.inverse_visits = 2.0 / kRounds;
      contrast.blocks = kBlocks;
      contrast.part = RunPart(i % kGpuRunParts);
      if (const auto again = later.find(i); again != later.end())
        add(again->second, now[i], contrast);
      contrasts_.push_back(contrast);
    }
    RunShifts shifts = judge(contrasts_, made.rule, made.findings);
    made.shift = shifts.whole;
    made.part_shifts = std::move(shifts.parts);
    made.null_check = null_check(made.findings, shifts.fits);
    return made;
  }

  /// The self-check of the last screened night.
  SelfCheck self_check(const Comparison& made, const std::vector<Measured>& baseline,
                       const std::vector<Measured>& now, std::uint64_t seed) const {
    std::vector<Contrast> halves;
    for (std::size_t i = 0; i < kCases; ++i)
      halves.push_back(halves_of(contrasts_[i], baseline[i], now[i], seed + i));
    return check_screen(contrasts_, halves, made.rule, made.findings, seed);
  }

  const PairedCase& at(std::size_t i) const { return cases_[i]; }

  Outcome confirmed(const Doubts& doubts) {
    std::vector<PairedCase> chosen;
    for (const CaseKey& key : doubts.all()) chosen.push_back(cases_[std::stoul(key.case_id)]);
    return confirm(chosen, pairs_, default_paired_rule("cuda"));
  }

 private:
  /// Adds the visits of a later run to those of the night, like with_visits_of().
  static void add(const Measured& later, const Measured& now, Contrast& contrast) {
    std::vector<double> both(now.begin(), now.end());
    both.insert(both.end(), later.begin(), later.end());
    const double of_baseline = 2 * contrast.variance - variance(now);
    const auto visits = double(both.size());
    contrast.change += mean(both) - mean(now);
    contrast.df = (kRounds - 1) + visits - 1;
    contrast.variance = ((kRounds - 1) * of_baseline + (visits - 1) * variance(both)) / contrast.df;
    contrast.inverse_visits = 1.0 / kRounds + 1 / visits;
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::student_t_distribution<double> student_{kNightDf};
  World pairs_;
  NightNoise noise_;
  std::vector<PairedCase> cases_;
  std::vector<Contrast> contrasts_;
};

}  // namespace plumbline::simulated
