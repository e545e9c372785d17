// Whole nights, screened against one accepted run and confirmed in pairs, 10^4 cases each. Seeded,
// so a failure is a change of the method. The noise is fixed: case × night Student t with 4 degrees
// of freedom, scale 0.2 %; processes 0.25 %; blocks log-normal with median 1 %, 95 % within 0.3-3
// %; 3 rounds of 32 blocks; 2 % of the cases with two modes of processes 5 % apart; every tenth
// night all cases move by 0.5 %.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "analysis/compare.h"
#include "analysis/confirm.h"
#include "analysis/judge.h"
#include "unit/analysis/simulated_pairs.h"

namespace plumbline {
namespace {

using simulated::kBlocks;
using simulated::kModeGap;
using simulated::kProcessSd;
using simulated::Outcome;
using simulated::PairedCase;

constexpr std::size_t kCases = 10'000;
constexpr int kRounds = 3;
constexpr double kNightScale = 0.002, kNightDf = 4, kShift = 0.005;
constexpr std::size_t kFamilies = 40;  // ops

/// What a run measures of a case: log means of its visits.
struct Measured {
  double mean = 0, variance = 0;
};

class Nights {
 public:
  explicit Nights(std::uint64_t seed) : random_(seed), pairs_(seed + 1'000'000) {
    for (std::size_t i = 0; i < kCases; ++i) cases_.push_back(pairs_.make_case(0, i % 50 == 0));
  }

  Measured run(const PairedCase& c, double level) {
    const double night = kNightScale * student_(random_);
    double sum = 0, squares = 0;
    for (int round = 0; round < kRounds; ++round) {
      const double mode = c.is_bimodal && uniform_(random_) < 0.5 ? kModeGap : 0;
      const double visit = level + night + mode + kProcessSd * normal_(random_) +
                           c.block_sd / std::sqrt(kBlocks) * normal_(random_);
      sum += visit;
      squares += visit * visit;
    }
    const double mean = sum / kRounds;
    return {mean, (squares - kRounds * mean * mean) / (kRounds - 1)};
  }

  std::vector<Measured> run_all(double level) {
    std::vector<Measured> all;
    for (const PairedCase& c : cases_) all.push_back(run(c, level + c.effect));
    return all;
  }

  /// Every `each`-th case gets slower by `effect` (log); 0: none.
  void plant(double effect, std::size_t each) {
    for (std::size_t i = 0; i < kCases; ++i) cases_[i].effect = each && i % each == 7 ? effect : 0;
  }

  /// Screens a night against a baseline as compare() does, from what it takes of both runs.
  Comparison screened(const std::vector<Measured>& baseline, const std::vector<Measured>& now) {
    Comparison made;
    made.rule = default_rule("cuda");
    std::vector<Contrast> contrasts;
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
      contrast.change = now[i].mean - baseline[i].mean;
      contrast.df = 2 * (kRounds - 1);
      contrast.variance = (now[i].variance + baseline[i].variance) / 2;
      contrast.block_floor = cases_[i].block_sd * cases_[i].block_sd / kBlocks;
      contrast.inverse_visits = 2.0 / kRounds;
      contrasts.push_back(contrast);
    }
    made.shift = judge(contrasts, made.rule, made.findings);
    return made;
  }

  Outcome confirmed(const Doubts& doubts) {
    std::vector<PairedCase> chosen;
    for (const CaseKey& key : doubts.all()) chosen.push_back(cases_[std::stoul(key.case_id)]);
    return simulated::confirm(chosen, pairs_, default_paired_rule("cuda"));
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::student_t_distribution<double> student_{kNightDf};
  simulated::World pairs_;
  std::vector<PairedCase> cases_;
};

struct Tally {
  std::size_t nights = 0, flagged = 0, alarms = 0, same = 0, planted = 0, found = 0, shifts = 0;
  std::size_t pairs = 0;
  double power() const { return double(found) / double(planted); }
};

Tally simulate(int nights, double effect, std::size_t each) {
  Tally tally;
  std::vector<Measured> baseline;
  for (int night = 0; night < nights; ++night) {
    Nights world(static_cast<std::uint64_t>(night) + 1);
    baseline = world.run_all(0);
    world.plant(effect, each);
    const Comparison made = world.screened(baseline, world.run_all(night % 10 == 9 ? kShift : 0));
    const Doubts doubts = cases_in_doubt(made, {}, std::uint64_t(night));
    const Outcome outcome = world.confirmed(doubts);
    ++tally.nights;
    tally.flagged += doubts.flagged.size();
    tally.alarms += outcome.slower + outcome.faster - outcome.found;
    tally.found += outcome.found;
    tally.planted += each ? (kCases - 8) / each + 1 : 0;
    tally.same += made.count(Verdict::same);
    tally.shifts += made.shift.has_value();
    tally.pairs += outcome.pairs;
  }
  const auto n = double(tally.nights);
  std::printf(
      "%3zu nights, effect %+.0f %%: flagged %.0f a night, %.1f pairs of each; false alarms %zu; "
      "SAME by the screen alone %.1f %%; shifts %zu; found %zu of %zu\n",
      tally.nights, 100 * std::expm1(effect), double(tally.flagged) / n,
      double(tally.pairs) / double(tally.flagged), tally.alarms,
      100 * double(tally.same) / n / double(kCases), tally.shifts, tally.found, tally.planted);
  return tally;
}

TEST(NightSimulation, raises_at_most_half_a_false_alarm_a_night) {
  const Tally tally = simulate(200, 0, 0);
  EXPECT_LE(tally.alarms, 100u);
  EXPECT_LE(tally.flagged, 600u * 200u) << "what is flagged must be affordable to measure again";
}

TEST(NightSimulation, finds_slowdowns_of_2_percent_and_more_from_the_first_night_on) {
  EXPECT_GE(simulate(21, std::log1p(0.05), 100).power(), 0.98);
  EXPECT_GE(simulate(21, std::log1p(0.03), 100).power(), 0.95);
  EXPECT_GE(simulate(21, std::log1p(0.02), 100).power(), 0.85);
}

}  // namespace
}  // namespace plumbline
