#include "analysis/estimate/mode_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/descriptive.h"
#include "stats/fisher.h"
#include "stats/multiplicity.h"
#include "stats/proportion.h"

namespace plumbline {
namespace {

constexpr double kDeviationsApart = 6;
constexpr double kLeastShare = 0.05;
constexpr std::size_t kMixedVisits = 2;

/// Number of sorted values in the lower of two groups, chosen for the least sum of squares within
/// both; and that sum.
struct Split {
  std::size_t lower = 0;
  double squares = 0;
};

Split best_split(std::span<const double> sorted) {
  const auto n = double(sorted.size());
  const double middle = sorted[sorted.size() / 2];  // avoids cancellation in sums of squares
  double sum = 0, squares = 0;
  for (const double value : sorted) {
    sum += value - middle;
    squares += (value - middle) * (value - middle);
  }
  Split best{0, squares - sum * sum / n};
  double low_sum = 0;
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    low_sum += sorted[k - 1] - middle;
    const double high_sum = sum - low_sum;
    const double within =
        squares - low_sum * low_sum / double(k) - high_sum * high_sum / (n - double(k));
    if (within < best.squares) best = {k, within};
  }
  return best;
}

/// Visits in a different mode than most of their run. They show modes, not a step.
std::size_t mixed_visits(std::span<const RunVisitLogs> runs, double limit) {
  std::size_t mixed = 0;
  for (const RunVisitLogs& run : runs) {
    const auto slow =
        std::size_t(std::ranges::count_if(run, [&](double log) { return log > limit; }));
    mixed += std::min(slow, run.size() - slow);
  }
  return mixed;
}

}  // namespace

std::size_t visits_in(std::span<const RunVisitLogs> runs) {
  std::size_t visits = 0;
  for (const RunVisitLogs& run : runs) visits += run.size();
  return visits;
}

std::optional<TwoModes> two_modes(std::span<const RunVisitLogs> runs, double least_gap) {
  std::vector<double> sorted;
  for (const RunVisitLogs& run : runs) sorted.insert(sorted.end(), run.begin(), run.end());
  if (sorted.size() < kVisitsForModes) return std::nullopt;
  const auto [least_log, most_log] = std::ranges::minmax(sorted);
  if (most_log - least_log < least_gap) return std::nullopt;  // as most: spares the sort
  std::ranges::sort(sorted);
  const Split split = best_split(sorted);
  const auto least = std::size_t(std::ceil(kLeastShare * double(sorted.size())));
  if (std::min(split.lower, sorted.size() - split.lower) < std::max<std::size_t>(least, 2))
    return std::nullopt;
  const std::span<const double> all = sorted, low = all.first(split.lower),
                                high = all.subspan(split.lower);
  TwoModes modes{std::midpoint(low.back(), high.front()), median(high) - median(low)};
  const double sd = std::sqrt(std::max(0.0, split.squares) / double(sorted.size() - 2));
  if (modes.gap < std::max(least_gap, kDeviationsApart * sd)) return std::nullopt;
  if (mixed_visits(runs, modes.limit) < kMixedVisits) return std::nullopt;
  return modes;
}

ModeCounts counts_in(const TwoModes& modes, std::span<const RunVisitLogs> runs) {
  ModeCounts counts;
  for (const RunVisitLogs& run : runs)
    for (const double log : run) {
      ++counts.visits;
      counts.slow += log > modes.limit;
    }
  return counts;
}

std::optional<ModeChange> mode_change(std::span<const RunVisitLogs> runs, double least_gap) {
  const std::optional<TwoModes> modes = two_modes(runs, least_gap);
  if (!modes) return std::nullopt;
  ModeChange best{*modes, {}, counts_in(*modes, runs), 0, 1};
  std::size_t places = 0;
  double least = 2;
  for (std::size_t at = 1; at < runs.size(); ++at) {
    const ModeCounts before = counts_in(*modes, runs.first(at)),
                     now = counts_in(*modes, runs.subspan(at));
    if (std::min(before.visits, now.visits) < kVisitsForModes) continue;
    ++places;
    const double p = fisher_exact(before.slow, before.visits, now.slow, now.visits);
    if (p >= least) continue;
    least = p;
    best = {*modes, before, now, at, p};
  }
  best.p_value = std::min(1.0, least * double(std::max<std::size_t>(places, 1)));
  return best;
}

bool could_show_change(const ModeTrial& trial, double rate) {
  const ModeCounts &before = trial.before, &now = trial.now;
  return std::min(fisher_exact(before.slow, before.visits, 0, now.visits),
                  fisher_exact(before.slow, before.visits, now.visits, now.visits)) <= rate;
}

std::optional<ModeTrial> mode_trial(std::span<const RunVisitLogs> runs, double least_gap,
                                    std::size_t finding) {
  if (runs.size() < 2 || visits_in(runs) < kVisitsForModes) return std::nullopt;
  const std::optional<TwoModes> modes = two_modes(runs, least_gap);
  if (!modes) return std::nullopt;
  return ModeTrial{finding, *modes, counts_in(*modes, runs.first(runs.size() - 1)),
                   counts_in(*modes, runs.last(1))};
}

std::vector<DistributionChange> mode_changes(const std::vector<ModeTrial>& trials,
                                             const DecisionRule& rule,
                                             const std::vector<Finding>& findings) {
  std::vector<double> p_values;
  for (const ModeTrial& trial : trials)
    p_values.push_back(
        fisher_exact(trial.before.slow, trial.before.visits, trial.now.slow, trial.now.visits));
  const std::vector<double> adjusted = benjamini_hochberg(p_values);
  std::vector<DistributionChange> changes;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (adjusted[i] > rule.false_discovery_rate) continue;
    const ModeTrial& trial = trials[i];
    const Finding& known = findings[trial.finding];
    DistributionChange& made = changes.emplace_back();
    made.kind = DistributionKind::modes;
    made.suite = known.suite;
    made.case_id = known.case_id;
    made.op = known.op;
    made.backend = known.backend;
    made.metric = known.metric;
    made.before = trial.before.share();
    made.now = trial.now.share();
    made.change = made.now - made.before;
    // Interval of a difference of shares, from the bounds of each (conservative).
    const double each = 0.5 + rule.confidence / 2;
    const ProportionBounds before = proportion_bounds(trial.before.slow, trial.before.visits, each),
                           now = proportion_bounds(trial.now.slow, trial.now.visits, each);
    made.change_low = now.low - before.high;
    made.change_high = now.high - before.low;
    made.gap = std::expm1(trial.modes.gap);
    made.visits_before = trial.before.visits;
    made.visits_now = trial.now.visits;
    made.p_value = p_values[i];
    made.adjusted_p = adjusted[i];
  }
  return changes;
}

}  // namespace plumbline
