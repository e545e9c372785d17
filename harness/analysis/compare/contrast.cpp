#include "analysis/compare/contrast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "analysis/compare/compare.h"
#include "analysis/variance/case_machines.h"
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

DecisionRule rule_for(std::vector<Contrast>& contrasts, const RunInfo& run,
                      const DecisionRule& rule) {
  const std::string& device_kind = run.environment.device_kind;
  std::set<Sameness> ways;
  for (Contrast& contrast : contrasts) {
    ways.insert(contrast.sameness);
    const DecisionRule own = rule_between(contrast.sameness, device_kind, rule);
    if (own.run_sd == 0 || contrast.sameness == Sameness::same) continue;
    contrast.apart_sd = own.run_sd;
    contrast.apart_df = own.run_df;
  }
  return ways.size() == 1 ? rule_between(*ways.begin(), device_kind, rule) : rule;
}

namespace {

/// For runs on several devices: the cases that are apart, for each way in which their machines are
/// related.
std::vector<std::string> notes_on_cases(const std::vector<Contrast>& contrasts,
                                        const DecisionRule& one) {
  std::map<Sameness, std::vector<const Contrast*>> apart;
  for (const Contrast& contrast : contrasts)
    if (contrast.apart_df > 0) apart[contrast.sameness].push_back(&contrast);
  std::vector<std::string> notes;
  for (const auto& [sameness, of_way] : apart) {
    const char* const by = sameness == Sameness::other_state ? "the same machine in another state"
                           : sameness == Sameness::other_device ? "another device of the same class"
                                                                : "another machine";
    const bool is_learned = std::ranges::all_of(
        of_way, [](const Contrast* c) { return c->history_df > 0 && !c->is_other_device; });
    notes.push_back(
        fmt::format("{} of {} cases × metrics: {} than in the baseline measured them",
                    of_way.size(), contrasts.size(), by) +
        (is_learned ? ". Earlier runs measured how far such runs lie apart."
                    : fmt::format(", so we assume for them that whole runs differ by {:.3g} %, not "
                                  "by {:.3g} %.",
                                  100 * of_way.front()->apart_sd, 100 * one.run_sd)));
  }
  return notes;
}

}  // namespace

void note_machines(const std::vector<Contrast>& contrasts, const DecisionRule& one,
                   Comparison& comparison) {
  if (contrasts.empty()) return;
  std::vector<std::string> notes;
  if (CaseMachines(comparison.baseline).are_several() ||
      CaseMachines(comparison.candidate).are_several())
    notes = notes_on_cases(contrasts, one);
  else if (const MachineRelation relation =
               relation_of(comparison.baseline.environment, comparison.candidate.environment);
           relation.sameness != Sameness::same)
    notes = {relation_note(relation, one.run_sd, comparison.rule.run_sd, know_runs(contrasts))};
  comparison.notes.insert(comparison.notes.begin(), notes.begin(), notes.end());
}

bool know_runs(const std::vector<Contrast>& contrasts) {
  return std::ranges::all_of(
      contrasts, [](const Contrast& c) { return c.history_df > 0 && !c.is_other_device; });
}

}  // namespace plumbline
