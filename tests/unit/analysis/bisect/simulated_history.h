/// A history of commits with planted changes, and a search through it.
///
/// The noise of pairs is that of simulated_pairs.h, and without modes if the test does not ask for
/// them. A side of a pair varies by 0.25 % from process to process. Its blocks vary by 1 % in the
/// middle case, log-normal over cases, 95 % of them within 0.3-3 %; it has 64 blocks. One pair
/// then has a standard deviation of 0.4 % in the middle case, and of 0.64 % where blocks vary by
/// 3 %.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "analysis/bisect/bisection.h"
#include "unit/analysis/simulated_pairs.h"

namespace plumbline::simulated {

struct History {
  std::vector<double> levels;  // log time at each position; the first is GOOD's
  std::set<std::size_t> unbuildable = {};
};

/// What a search cost, and what it said.
struct Searched {
  BisectResult result;
  std::set<std::size_t> builds;  // with GOOD and BAD
  std::size_t failed_builds = 0, pairs = 0;
};

/// Goes on until nothing more is wanted. `difference(change)` is the log ratio of one pair.
inline Searched search(Bisection bisection, const History& history,
                       const std::function<double(double change)>& difference) {
  Searched searched;
  const auto is_built = [&](std::size_t position) {
    if (!history.unbuildable.contains(position)) {
      searched.builds.insert(position);
      return true;
    }
    ++searched.failed_builds;
    bisection.skip(position);
    return false;
  };
  while (const auto wanted = bisection.next()) {
    if (!is_built(wanted->baseline) || !is_built(wanted->candidate)) continue;
    const double change = history.levels[wanted->candidate] - history.levels[wanted->baseline];
    std::vector<double> log_ratios(wanted->pairs);
    for (double& one : log_ratios) one = difference(change);
    searched.pairs += log_ratios.size();
    bisection.add(wanted->baseline, wanted->candidate, log_ratios);
  }
  searched.result = bisection.result();
  return searched;
}

/// The noise of one case, drawn by `seed`, times `factor`.
struct Noise {
  double factor = 1;
  bool has_two_modes = false;
};

inline Searched search(const Bisection& bisection, const History& history, std::uint64_t seed,
                       const Noise& noise) {
  World world(seed);
  const PairedCase measured = world.make_case(0, noise.has_two_modes);
  return search(bisection, history,
                [&](double change) { return change + noise.factor * world.difference(measured); });
}

}  // namespace plumbline::simulated
