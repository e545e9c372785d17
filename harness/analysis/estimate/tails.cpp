#include "analysis/estimate/tails.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// A 95th percentile needs at least this many blocks.
constexpr std::size_t kTailFrom = 20;
/// A tail counts from this multiple of the margin on.
constexpr double kTailFloor = 2.5;

bool median_stays(const Finding& finding) {
  return finding.verdict == Verdict::same || finding.verdict == Verdict::unresolved;
}

/// Findings for the tails, judged like medians. Tails are ratios, which no shift of the run moves.
std::vector<Finding> judged(std::vector<Contrast> tails, const DecisionRule& rule,
                            const std::vector<Finding>& findings) {
  std::vector<Finding> of_tails;
  for (Contrast& tail : tails) {
    const Finding& known = findings[tail.finding];
    Finding& made = of_tails.emplace_back();
    made.suite = known.suite;
    made.case_id = known.case_id;
    made.op = known.op;
    made.backend = known.backend;
    made.metric = known.metric;
    made.threshold = kTailFloor * rule.margin;
    tail.finding = of_tails.size() - 1;
  }
  judge(tails, rule, of_tails);
  return of_tails;
}

}  // namespace

std::optional<double> tail_of(const ResultRow& row) {
  if (row.reduced)
    return std::isfinite(row.reduced->tail) ? std::optional(row.reduced->tail) : std::nullopt;
  std::vector<double> medians;
  for (std::size_t i = 0; i < row.samples.blocks(); ++i)
    if (!row.samples.block(i).empty() && counts(row, i))
      medians.push_back(median(row.samples.block(i)));
  if (medians.size() < kTailFrom) return std::nullopt;
  const double middle = median(medians);
  if (!(middle > 0)) return std::nullopt;
  return std::log(quantile(medians, 0.95) / middle);
}

std::vector<double> tails_of(const MetricRows& side) {
  std::vector<double> tails;
  for (const ResultRow* row : side.rows) {
    const std::optional<double> tail = tail_of(*row);
    if (!tail) return {};
    tails.push_back(*tail);
  }
  return tails;
}

std::optional<Contrast> tail_contrast(const MetricRows& baseline, const MetricRows& candidate,
                                      std::size_t finding) {
  const std::vector<double> before = tails_of(baseline), now = tails_of(candidate);
  if (before.size() < 2 || now.size() < 2) return std::nullopt;
  const auto n_before = double(before.size()), n_now = double(now.size());
  Contrast made;
  made.finding = finding;
  made.change = mean(now) - mean(before);
  made.df = n_before + n_now - 2;
  made.variance = ((n_before - 1) * variance(before) + (n_now - 1) * variance(now)) / made.df;
  made.inverse_visits = 1 / n_before + 1 / n_now;
  return made;
}

std::vector<DistributionChange> tail_changes(const std::vector<Contrast>& tails,
                                             const DecisionRule& rule,
                                             const std::vector<Finding>& findings) {
  const std::vector<Finding> of_tails = judged(tails, rule, findings);
  std::vector<DistributionChange> slower;
  for (std::size_t i = 0; i < tails.size(); ++i) {
    const Finding& tail = of_tails[i];
    if (tail.verdict != Verdict::slower || !median_stays(findings[tails[i].finding])) continue;
    DistributionChange& made = slower.emplace_back();
    made.suite = tail.suite;
    made.case_id = tail.case_id;
    made.op = tail.op;
    made.backend = tail.backend;
    made.metric = tail.metric;
    made.change = *tail.change;
    made.change_low = *tail.change_low;
    made.change_high = *tail.change_high;
    made.visits_before = findings[tails[i].finding].baseline_visits;
    made.visits_now = findings[tails[i].finding].candidate_visits;
    made.p_value = *tail.p_value;
    made.adjusted_p = *tail.adjusted_p;
  }
  std::ranges::stable_sort(slower, std::greater{}, &DistributionChange::change);
  return slower;
}

}  // namespace plumbline
