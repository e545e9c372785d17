#include "analysis/confirm/rerun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/compare/judge.h"

namespace plumbline {
namespace {

bool is_change(Verdict verdict) { return verdict == Verdict::slower || verdict == Verdict::faster; }

/// The shift of the run that was removed from the finding's change, as a factor of times.
double shift_of(const Finding& finding) {
  return (1 + *finding.raw_change) / (1 + *finding.change);
}

bool shows(const Finding& later, const Finding& joint) {
  const bool is_rise = *joint.change > 0;
  return (*later.change > 0) == is_rise &&
         (is_rise ? *later.change_low > 0 : *later.change_high < 0) &&
         std::abs(std::log1p(*later.change)) >= std::log1p(later.threshold);
}

}  // namespace

Run with_visits_of(const Run& candidate, const Run& later) {
  Run both = candidate;
  std::int64_t rounds = 0;
  for (const ResultRow& row : candidate.rows) rounds = std::max(rounds, row.round + 1);
  for (const ResultRow& row : later.rows) both.rows.emplace_back(row).round += rounds;
  return both;
}

void settle(Finding& finding, const Finding& joint, double later_change, std::size_t visits) {
  finding.screened = finding.raw_change;
  finding.rerun_visits = visits;
  if (!joint.change) {  // the later run failed
    finding.verdict = joint.verdict;
    finding.reason = "measured again: " + joint.reason;
    return;
  }
  const double half = std::log1p(*finding.change_high) - std::log1p(*finding.change);
  const double change = std::log1p(later_change) - std::log(shift_of(finding));
  finding.change = std::expm1(change);
  finding.change_low = std::expm1(change - half);
  finding.change_high = std::expm1(change + half);
  finding.p_value = joint.p_value;
  finding.adjusted_p = joint.adjusted_p;
  finding.verdict = joint.verdict;
  finding.reason = joint.reason;
  if (is_change(joint.verdict) && !shows(finding, joint)) finding.verdict = Verdict::unresolved;
  if (!is_change(finding.verdict))
    finding.reason = fmt::format("looked {}; measured again later: {}",
                                 percent_text(*finding.screened), percent_text(later_change));
}

void confirm_by_rerun(Comparison& screened, const Doubts& doubts, const Comparison& joint,
                      const Run& later) {
  const auto measured = estimates_of(later);
  std::map<MetricKey, const Finding*> together;
  for (const Finding& finding : joint.findings) together[metric_key(finding)] = &finding;
  std::set<CaseKey> seen_again;
  for (Finding& finding : screened.findings) {
    const MetricKey key = metric_key(finding);
    if (!finding.p_value || !finding.baseline || !doubts.flagged.contains(key.first)) continue;
    const auto again = measured.find(key);
    const Estimate value = again == measured.end() ? Estimate{} : again->second;
    settle(finding, *together.at(key), value.value / *finding.baseline - 1, value.visits.size());
    if (is_change(finding.verdict)) seen_again.insert(key.first);
  }
  screened.notes.push_back(fmt::format(
      "Measured again later, without the baseline's build: {} case{} that looked changed; seen "
      "again: {}. That is weaker than pairs: the baseline was measured once, and how far it was "
      "off is in both runs; what the environment did is in them too.",
      doubts.flagged.size(), doubts.flagged.size() == 1 ? "" : "s", seen_again.size()));
  sort_findings(screened.findings);
}

}  // namespace plumbline
