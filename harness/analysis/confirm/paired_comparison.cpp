#include "analysis/confirm/paired_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/judge.h"

namespace plumbline {
namespace {

CaseKey key_of(const PairedSeries& series) {
  return {std::string(series.suite), std::string(series.case_id)};
}

/// Whether the interval of the change leaves out none.
bool has_moved(const PairedJudgement& found) { return found.low > 0 || found.high < 0; }

/// Why a case stayed UNRESOLVED.
std::string open_reason(const PairedJudgement& found, double floor, std::size_t discarded) {
  std::string lost =
      discarded == 0 ? "" : fmt::format("; {} discarded for causes outside the case", discarded);
  if (found.pairs < 2)
    return fmt::format("{} whole pairs, at least 2 are needed{}", found.pairs, lost);
  const std::string range =
      percent_text(std::expm1(found.low)) + " to " + percent_text(std::expm1(found.high));
  if (!has_moved(found))
    return fmt::format("after {} pairs it could be anything from {}{}", found.pairs, range, lost);
  if (found.looks != Verdict::unresolved)
    return fmt::format("changed by {} in {} pairs ({}); so few confirm large changes only, {} do{}",
                       percent_text(std::expm1(found.change)), found.pairs, range, kPairsForSmall,
                       lost);
  if (std::abs(found.change) < std::log1p(floor))
    return fmt::format("changed by {} ({}, {} pairs), below the {:.3g} % that counts{}",
                       percent_text(std::expm1(found.change)), range, found.pairs, 100 * floor,
                       lost);
  return fmt::format("looks changed by {} ({}), but {} pairs cannot rule out chance{}",
                     percent_text(std::expm1(found.change)), range, found.pairs, lost);
}

}  // namespace

PairedTrial::PairedTrial(PairedRule rule, std::map<CaseKey, double> thresholds,
                         std::set<CaseKey> bystanders)
    : rule_(std::move(rule)),
      thresholds_(std::move(thresholds)),
      bystanders_(std::move(bystanders)) {
  require_rule(rule_);
}

void PairedTrial::look_at(const Run& a, const Run& b, std::size_t look) {
  std::vector<PairedSeries> judged;
  std::vector<double> floors;
  for (PairedSeries& series : paired_series(a, b)) {
    const CaseKey key = key_of(series);
    if (!is_judged(series.metric) || !is_open(key)) continue;
    floors.push_back(floor_of(key));
    judged.push_back(std::move(series));
  }
  const std::vector<PairedJudgement> found = judge_pairs(judged, floors, rule_, look);
  open_.clear();
  bool are_all_idle = true;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const CaseKey key = key_of(judged[i]);
    Judged& kept = judged_[{key, std::string(judged[i].metric)}];
    // A decided metric keeps its verdict while other metrics of its case are still measured.
    const bool is_decided = looks_ > 0 && kept.judgement.verdict != Verdict::unresolved;
    if (!is_decided) kept = {found[i], judged[i].discarded, floors[i]};
    if (kept.judgement.verdict != Verdict::unresolved) continue;
    open_.insert(key);
    are_all_idle = are_all_idle && is_idle(key, kept.judgement);
  }
  if (are_all_idle) open_.clear();
  looks_ = look + 1;
}

bool PairedTrial::is_idle(const CaseKey& key, const PairedJudgement& judgement) const {
  return judgement.verdict == Verdict::unresolved && !has_moved(judgement) &&
         bystanders_.contains(key);
}

double PairedTrial::floor_of(const CaseKey& key) const {
  const auto own = thresholds_.find(key);
  return own == thresholds_.end() ? rule_.effect_floor : own->second;
}

std::map<CaseKey, bool> PairedTrial::outcomes() const {
  std::map<CaseKey, bool> changed;
  for (const auto& [name, judged] : judged_) {
    if (judged.judgement.pairs < 2) continue;
    const Verdict verdict = judged.judgement.verdict;
    bool& any = changed.try_emplace(name.first, false).first->second;
    any = any || verdict == Verdict::slower || verdict == Verdict::faster;
  }
  return changed;
}

void PairedTrial::apply(Comparison& screened) const {
  for (Finding& finding : screened.findings) {
    const auto found = judged_.find({{finding.suite, finding.case_id}, finding.metric});
    if (found == judged_.end() || !finding.change) continue;
    const auto& [judgement, discarded, floor] = found->second;
    if (is_idle({finding.suite, finding.case_id}, judgement)) continue;
    const bool is_open = judgement.verdict == Verdict::unresolved;
    finding.verdict = is_open ? judgement.looks : judgement.verdict;
    finding.change = std::expm1(judgement.change);
    finding.change_low = std::expm1(judgement.low);
    finding.change_high = std::expm1(judgement.high);
    finding.p_value = judgement.p_value;
    finding.adjusted_p = judgement.adjusted_p;
    finding.detectable = std::expm1(std::max(judgement.detectable, std::log1p(floor)));
    finding.threshold = floor;
    finding.blind = finding.verdict == Verdict::unresolved
                        ? blind_spot_of_pairs(judgement.pairs, judgement.detectable, rule_.margin)
                        : std::nullopt;
    finding.pairs = judgement.pairs;
    finding.discarded_pairs = discarded;
    finding.reason = is_open ? open_reason(judgement, floor, discarded) : "";
  }
  sort_findings(screened.findings);
}

Comparison PairedTrial::comparison(const Run& a, const Run& b,
                                   const CompareOptions& options) const {
  DecisionRule rule = default_rule(a.info.environment.device_kind);
  rule.margin = rule_.margin;
  rule.effect_floor = rule_.effect_floor;
  rule.false_discovery_rate = rule_.false_discovery_rate;
  rule.confidence = 1 - rule_.false_discovery_rate / double(rule_.looks.size());
  rule.run_sd = 0;  // both sides were measured together, so whole runs do not differ
  Comparison made = compare(a, b, rule, options);
  made.shift.reset();
  made.part_shifts.clear();
  made.self_check.reset();  // these three are of a screen, which decides nothing here
  made.null_check.reset();
  made.distribution_changes.clear();
  for (Finding& finding : made.findings)
    if (finding.raw_change) finding.change = finding.raw_change;
  apply(made);
  made.notes = {fmt::format(
      "Measured in pairs, both sides beside each other: up to {} a case, looked at after {}.",
      rule_.looks.back(), fmt::join(rule_.looks, ", "))};
  return made;
}

}  // namespace plumbline
