/// Simulates builds in pairs: noise as on an H200, and the looks of a trial.
///
/// Processes 0.25 %, blocks log-normal with median 1 % and 95 % within 0.3-3 %, visits of 32 blocks
/// at placements that are not shared (the worse case), cases with two modes of processes 5 % apart.
/// Effects of a night or a driver affect both sides and cancel. Seeded.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/confirm/judge_pairs.h"

namespace plumbline::simulated {

inline constexpr double kProcessSd = 0.0025, kBlocks = 32, kModeGap = 0.05;

struct PairedCase {
  double block_sd = 0.01;
  bool is_bimodal = false;
  double effect = 0;  // log, on B
};

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  PairedCase make_case(double effect, bool is_bimodal) {
    return {0.01 * std::exp(0.5874 * normal_(random_)), is_bimodal, effect};
  }

  double difference(const PairedCase& c) {
    const auto side = [&] {
      const double mode = c.is_bimodal && uniform_(random_) < 0.5 ? kModeGap : 0;
      return mode + kProcessSd * normal_(random_) +
             c.block_sd / std::sqrt(2 * kBlocks) * normal_(random_);
    };
    return c.effect + side() - side();
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

/// How many cases ended in each way.
struct Outcome {
  std::size_t slower = 0, faster = 0, same = 0, unresolved = 0, pairs = 0;
  std::size_t found = 0;  // planted ones among `slower`
  std::vector<Verdict> verdicts;
};

/// One night: the flagged cases go through the looks as in `plumbline ab`.
inline Outcome confirm(const std::vector<PairedCase>& cases, World& world, const PairedRule& rule) {
  Outcome outcome;
  outcome.verdicts.assign(cases.size(), Verdict::unresolved);
  std::vector<std::size_t> open(cases.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  std::vector<PairedSeries> all(cases.size());
  for (PairedSeries& series : all) series.metric = "gpu_time_cold";
  for (std::size_t look = 0; look < rule.looks.size(); ++look) {
    std::vector<PairedSeries> judged;
    for (const std::size_t i : open) {
      while (all[i].differences.size() < rule.looks[look]) {
        all[i].differences.push_back(world.difference(cases[i]));
        ++outcome.pairs;
      }
      judged.push_back(all[i]);
    }
    const std::vector<double> floors(judged.size(), rule.effect_floor);
    const auto found = judge_pairs(judged, floors, rule, look);
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const Verdict verdict = outcome.verdicts[open[k]] = found[k].verdict;
      outcome.slower += verdict == Verdict::slower;
      outcome.found += verdict == Verdict::slower && cases[open[k]].effect > 0;
      outcome.faster += verdict == Verdict::faster;
      outcome.same += verdict == Verdict::same;
      if (verdict == Verdict::unresolved) left.push_back(open[k]);
    }
    open = left;
  }
  outcome.unresolved = open.size();
  return outcome;
}

}  // namespace plumbline::simulated
