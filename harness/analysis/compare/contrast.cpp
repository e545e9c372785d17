#include "analysis/compare/contrast.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stats/moderation.h"

namespace plumbline {
namespace {

/// Visits are disturbed if chance makes them scatter so much in only one run of a hundred.
constexpr double kDisturbed = 0.01;

double blocks_of_visits(const Estimate& found) {
  double sum = 0;
  for (const VisitValue& visit : found.visits) sum += static_cast<double>(visit.blocks);
  return sum;
}

/// Smallest step of the values of both sides. If neither side's values differ, the difference
/// between the sides may be one step of the timer.
double resolution_of(const Estimate& baseline, const Estimate& candidate) {
  const double finer = std::min(baseline.resolution, candidate.resolution),
               coarser = std::max(baseline.resolution, candidate.resolution);
  if (coarser == 0) return std::abs(std::log(candidate.value / baseline.value));
  return finer > 0 ? finer : coarser;
}

/// Pools the variance of a visit over the visits of all machines.
void pool_visits(const Estimate& candidate, const RunVariance& past, Contrast& contrast) {
  const double own_df = double(candidate.logs.size()) - 1, df = past.visit_df + own_df;
  if (!(past.visit_df > 0)) return;
  contrast.variance = (past.visit_df * past.visit_variance + own_df * candidate.variance) / df;
  contrast.df = df;
}

/// Variance of the candidate's median where its visits scatter by more than those of earlier runs.
void set_own_noise(const Estimate& candidate, const RunVariance& past, Contrast& contrast) {
  const auto visits = double(candidate.logs.size());
  if (!(past.visit_df > 0) || visits < 2 || !(candidate.variance > past.visit_variance)) return;
  const double ratio = candidate.variance / past.visit_variance;
  if (p_of_variance_ratio(ratio, visits - 1, past.visit_df) > kDisturbed) return;
  contrast.own_variance = candidate.variance * std::numbers::pi / (2 * visits);
  contrast.own_df = visits - 1;
}

}  // namespace

Contrast contrast_of(const Estimate& baseline, const Estimate& candidate, const RunVariance& past,
                     bool is_time) {
  const auto n_old = double(baseline.logs.size()), n_new = double(candidate.logs.size());
  const double n = n_old + n_new;
  Contrast contrast;
  contrast.change = std::log(candidate.value / baseline.value);
  contrast.df = n - 2;
  contrast.variance =
      ((n_old - 1) * baseline.variance + (n_new - 1) * candidate.variance) / contrast.df;
  contrast.block_floor = (n_old * baseline.block_floor + n_new * candidate.block_floor) / n;
  contrast.inverse_visits = 1 / n_old + 1 / n_new;
  contrast.blocks = (blocks_of_visits(baseline) + blocks_of_visits(candidate)) / n;
  contrast.history_variance = past.variance;
  contrast.history_df = past.df;
  if (!(past.df > 0)) return contrast;
  if (is_time) contrast.resolution = resolution_of(baseline, candidate);
  set_own_noise(candidate, past, contrast);
  if (past.center_runs < 2) return contrast;
  contrast.is_of_machines = past.is_of_machines;
  contrast.inverse_of_candidate = 1 / n_new;
  if (past.is_of_machines) pool_visits(candidate, past, contrast);
  contrast.center_runs = past.center_runs;
  contrast.change = middle_of_visits(candidate.logs) - past.center;
  return contrast;
}

bool is_apart(Sameness sameness, const RunVariance& past) {
  const bool is_held =
      past.is_of_machines || (sameness == Sameness::other_state && past.holds_boots);
  return sameness != Sameness::same && !is_held;
}

bool know_runs(const std::vector<Contrast>& contrasts) {
  return std::ranges::all_of(
      contrasts, [](const Contrast& c) { return c.history_df > 0 && !c.is_other_device; });
}

}  // namespace plumbline
