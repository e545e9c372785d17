#include "analysis/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/compare/case_matching.h"
#include "analysis/compare/comparable.h"
#include "analysis/compare/contrast.h"
#include "analysis/compare/environment_changes.h"
#include "analysis/compare/expected.h"
#include "analysis/compare/judge.h"
#include "analysis/compare/status_decision.h"
#include "analysis/confirm/controls.h"
#include "analysis/confirm/earlier_nights.h"
#include "analysis/estimate/achieved.h"
#include "analysis/estimate/estimate.h"
#include "analysis/estimate/mode_weights.h"
#include "analysis/estimate/tails.h"
#include "analysis/history/run_to_run.h"
#include "analysis/variance/case_machines.h"
#include "analysis/variance/other_device.h"
#include "core/error.h"
#include "core/parallel.h"
#include "core/run/case.h"
#include "core/run/metric.h"

namespace plumbline {
namespace {

/// With fewer visits, a side has no variance of its own.
constexpr std::size_t kVisitsNeeded = 2;

const MetricRows* rows_of(const CaseRows* found, std::string_view metric) {
  if (!found) return nullptr;
  const auto place = std::ranges::find(found->metrics, metric, &MetricRows::metric);
  return place == found->metrics.end() ? nullptr : &*place;
}

/// Visits of one case × metric on both sides; those of earlier runs are looked up when needed.
struct ModeInput {
  std::size_t finding = 0;
  std::string_view revision;
  RunVisitLogs before, now;
};

/// One comparison in progress: collects findings, and contrasts for those that numbers decide.
class Pairing {
 public:
  /// `runs`: the two runs' records and the rule; both outlive this.
  Pairing(const Comparison& runs, const CompareOptions& options, const RunToRun& run_to_run,
          std::string incomparable_reason)
      : runs_(runs),
        expectations_(runs.candidate.expected),
        options_(options),
        run_to_run_(run_to_run),
        before_(runs.baseline),
        now_(runs.candidate),
        incomparable_(std::move(incomparable_reason)) {}

  void add(const CaseRows* baseline, const CaseRows* candidate) {
    if (is_no_news(baseline, candidate)) return;
    const std::string expected = candidate ? expectations_.fulfilled_by(*candidate) : "";
    std::optional<Decision> decision = expected.empty() ? decide_by_status(baseline, candidate)
                                                        : Decision{Verdict::expected, expected};
    if (baseline && candidate)
      sameness_ = relation_of(before_.of(baseline->device), now_.of(candidate->device)).sameness;
    if (!incomparable_.empty()) decision = Decision{Verdict::not_judged, incomparable_};
    std::vector<std::string_view> seen, judged;
    for (const CaseRows* side : {candidate, baseline}) {
      if (!side) continue;
      for (const MetricRows& rows : side->metrics) {
        if (std::ranges::find(seen, rows.metric) != seen.end()) continue;
        seen.push_back(rows.metric);
        if (is_judged(rows.metric))
          judged.push_back(rows.metric);
        else
          add_shown(baseline, candidate, rows.metric);
      }
    }
    if (judged.empty()) judged.push_back("");
    for (const std::string_view metric : judged) add_metric(baseline, candidate, metric, decision);
  }

  /// Appends what another pairing collected.
  void append(Pairing&& other) {
    for (ModeInput& input : other.modes) {
      input.finding += findings.size();
      modes.push_back(std::move(input));
    }
    for (auto which : {&Pairing::contrasts, &Pairing::halves, &Pairing::tails})
      for (Contrast& contrast : other.*which) {
        contrast.finding += findings.size();
        (this->*which).push_back(contrast);
      }
    std::ranges::move(other.findings, std::back_inserter(findings));
    std::ranges::move(other.beside, std::back_inserter(beside));
  }

  std::vector<Finding> findings;
  std::vector<Contrast> contrasts, halves;  // halves: the control of each contrast (controls.h)
  std::vector<Contrast> tails;              // for some of the contrasts (tails.h)
  std::vector<ModeInput> modes;             // for contrasts with enough visits
  std::vector<ShownMetric> beside;

 private:
  void add_shown(const CaseRows* baseline, const CaseRows* candidate, std::string_view metric) {
    const CaseRows& either = candidate ? *candidate : *baseline;
    ShownMetric& made = beside.emplace_back();
    made.suite = either.suite;
    made.case_id = either.case_id;
    made.metric = metric;
    for (const auto& [side, value] :
         {std::pair(baseline, &made.baseline), std::pair(candidate, &made.candidate)}) {
      const MetricRows* rows = rows_of(side, metric);
      if (!rows) continue;
      made.unit = rows->unit;
      if (const double found = estimate(rows->rows).value; std::isfinite(found)) *value = found;
    }
    if (incomparable_.empty() && made.baseline && made.candidate && *made.baseline > 0)
      made.change = *made.candidate / *made.baseline - 1;
  }

  void add_metric(const CaseRows* baseline, const CaseRows* candidate, std::string_view metric,
                  const std::optional<Decision>& decision) {
    const CaseRows& shown = candidate ? *candidate : *baseline;
    const MetricRows* old_rows = rows_of(baseline, metric);
    const MetricRows* new_rows = rows_of(candidate, metric);
    Finding& finding = findings.emplace_back();
    finding.suite = shown.suite;
    finding.case_id = shown.case_id;
    finding.op = shown.op;
    finding.backend = shown.backend;
    finding.metric = metric;
    if (baseline && baseline->case_id != shown.case_id) finding.renamed_from = baseline->case_id;
    if (baseline) finding.baseline_status = name_of(baseline->status);
    if (candidate) finding.candidate_status = name_of(candidate->status);
    finding.threshold = threshold_of(shown);
    const auto [old_estimate, old_beyond] =
        take(old_rows, runs_.baseline, finding, finding.baseline, finding.baseline_visits);
    const auto [new_estimate, new_beyond] =
        take(new_rows, runs_.candidate, finding, finding.candidate, finding.candidate_visits);
    if (old_rows && new_rows && old_rows->unit != new_rows->unit)
      finding.baseline.reset();  // its unit is not the finding's, which is this run's
    if (decision) {
      finding.verdict = decision->verdict;
      finding.reason = decision->reason;
      return;
    }
    if (!old_rows && new_rows) {
      finding.verdict = Verdict::added;
      finding.reason = why_missing(*baseline, metric, true, runs_.candidate);
      return;
    }
    finding.reason = obstacle(*baseline, metric, old_rows, old_estimate, true);
    if (finding.reason.empty())
      finding.reason = obstacle(*candidate, metric, new_rows, new_estimate, false);
    if (finding.reason.empty() && old_rows->unit != new_rows->unit)
      finding.reason =
          fmt::format("unit: the baseline has {}, this run {}", old_rows->unit, new_rows->unit);
    if (finding.reason.empty())
      finding.reason =
          without_direction(runs_.baseline, runs_.candidate, finding.metric, finding.unit);
    if (finding.reason.empty()) finding.reason = beyond_device(old_beyond, new_beyond);
    if (!finding.reason.empty()) return;
    decide_by_numbers(old_estimate, new_estimate, finding, *new_rows, candidate->revision);
    if (finding.unit != "s") return;
    if (const auto tail = tail_contrast(*old_rows, *new_rows, findings.size() - 1))
      tails.push_back(*tail);
    modes.push_back(
        {findings.size() - 1, candidate->revision, old_estimate.logs, new_estimate.logs});
  }

  /// The estimate of one side, and how it is faster than its device allows, or "".
  static std::pair<Estimate, std::string> take(const MetricRows* rows, const RunInfo& info,
                                               Finding& finding, std::optional<double>& value,
                                               std::size_t& visits) {
    if (!rows) return {};
    Estimate found = estimate(rows->rows);
    finding.unit = rows->unit;
    visits = found.visits.size();
    if (std::isfinite(found.value)) value = found.value;
    add_flags(rows->rows, finding.flags);
    Achieved rates = achieved(*rows, found, info);
    for (const std::string_view flag : rates.flags)
      if (std::ranges::find(finding.flags, flag) == finding.flags.end())
        finding.flags.emplace_back(flag);
    return {std::move(found), std::move(rates.beyond)};
  }

  /// Why a time cannot be trusted, where only this run is faster than its device allows, or "". If
  /// both runs are, the declared work is too high, and the two are compared.
  static std::string beyond_device(const std::string& before, const std::string& now) {
    if (now.empty() || !before.empty()) return "";
    return "faster than the device: " + now +
           "; either it does not do the work that the case declares, or that needs less";
  }

  /// Why the metric of one side cannot be compared, or "".
  std::string obstacle(const CaseRows& side, std::string_view metric, const MetricRows* rows,
                       const Estimate& found, bool is_baseline) const {
    const char* const name = is_baseline ? "the baseline" : "this run";
    if (!rows) return why_missing(side, metric, is_baseline, runs_.candidate);
    if (found.visits.size() == 1 && found.visits[0].samples == 1)
      return fmt::format("one value, no samples, in {}: what it varies by is not known", name);
    if (found.visits.size() < kVisitsNeeded)
      return fmt::format("{} visit in {}, at least {} are needed", found.visits.size(), name,
                         kVisitsNeeded);
    if (found.logs.empty() && found.value != 0)
      return fmt::format("a visit in {} is not above zero", name);
    return "";
  }

  void decide_by_numbers(const Estimate& baseline, const Estimate& candidate, Finding& finding,
                         const MetricRows& rows, std::string_view revision) {
    if (!baseline.logs.empty() && !candidate.logs.empty())
      return add_contrast(baseline, candidate, rows, run_to_run_.of(finding, revision));
    if (baseline.value != 0 || candidate.value != 0) {
      finding.reason =
          fmt::format("0 in {}: no ratio", baseline.value == 0 ? "the baseline" : "this run");
      return;
    }
    finding.verdict = Verdict::same;
    finding.change = finding.raw_change = 0;
  }

  void add_contrast(const Estimate& baseline, const Estimate& candidate, const MetricRows& rows,
                    const RunVariance& past) {
    Finding& finding = findings.back();
    const bool is_time = finding.unit == "s";
    Contrast contrast = contrast_of(baseline, candidate, past, is_time);
    contrast.finding = findings.size() - 1;
    if (contrast.center_runs > 1) {
      finding.baseline = std::exp(past.center);
      finding.candidate = std::exp(past.center + contrast.change);
    }
    learn_threshold(std::expm1(past.floor), finding);
    constexpr double kCarries = 2;                    // degrees of freedom that three runs give
    finding.is_on_new_machine = past.is_of_machines;  // history of other machines does not count
    finding.has_history = past.df >= kCarries && !past.is_of_machines;
    contrast.sameness = sameness_;
    contrast.is_other_device = is_apart(sameness_, past);
    contrast.is_more_better =
        direction_of(runs_.baseline, runs_.candidate, finding.metric, finding.unit) == Better::more;
    // Uses the mean of both runs, which does not depend on their difference.
    contrast.part = run_part(rows, std::sqrt(baseline.value * candidate.value), runs_.candidate);
    contrasts.push_back(contrast);
    finding.part = contrast.part;
    const auto seed = std::uint64_t(runs_.candidate.policy.seed);
    halves.push_back(halves_of(contrast, baseline.logs, candidate.logs,
                               stable_hash(finding.suite, stable_hash(finding.case_id, seed))));
  }

  double threshold_of(const CaseRows& shown) const {
    const double floor = runs_.rule.effect_floor;
    if (options_.thresholds.empty()) return floor;
    const auto found =
        options_.thresholds.find({std::string(shown.suite), std::string(shown.case_id)});
    return found == options_.thresholds.end() ? floor : found->second;
  }

  /// Earlier runs can only raise a case's floor above the rule's: a change within the margin is no
  /// slowdown until pairs confirm it. A threshold from the suite takes precedence.
  void learn_threshold(double floor, Finding& finding) const {
    if (!options_.thresholds.contains({finding.suite, finding.case_id}))
      finding.threshold = std::max(finding.threshold, floor);
  }

  const Comparison& runs_;
  const Expectations expectations_;
  const CompareOptions& options_;
  const RunToRun& run_to_run_;
  const CaseMachines before_, now_;
  Sameness sameness_ = Sameness::same;  // of the machines that measured the case at hand
  std::string incomparable_;
};

/// Pairs all sides in their order, on all processors; `empty` is copied for each share.
Pairing paired(const std::vector<CaseSides>& sides, const Pairing& empty) {
  std::map<std::size_t, Pairing> pieces;  // by where they begin
  std::mutex one_at_a_time;
  for_each_share(sides.size(), [&](std::size_t begin, std::size_t end) {
    Pairing piece = empty;
    piece.findings.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) piece.add(sides[i].baseline, sides[i].candidate);
    const std::lock_guard lock(one_at_a_time);
    pieces.emplace(begin, std::move(piece));
  });
  Pairing whole = empty;
  whole.findings.reserve(sides.size());
  while (!pieces.empty()) whole.append(std::move(pieces.extract(pieces.begin()).mapped()));
  return whole;
}

/// Mode changes of the times, after removing shifts of the run, which move both modes.
void add_mode_changes(const std::vector<ModeInput>& inputs, const RunToRun& run_to_run,
                      const std::vector<Finding>& findings, Comparison& result) {
  std::vector<std::optional<ModeTrial>> found(inputs.size());
  for_each_index(inputs.size(), [&](std::size_t i) {
    const ModeInput& input = inputs[i];
    const Finding& finding = findings[input.finding];
    if (!finding.change) return;
    std::vector<RunVisitLogs> runs = run_to_run.visits_of(finding, input.revision);
    runs.insert(runs.end(), {input.before, input.now});
    const double shift = std::log1p(*finding.raw_change) - std::log1p(*finding.change);
    for (double& log : runs.back()) log -= shift;
    found[i] = mode_trial(runs, std::log1p(result.rule.margin), input.finding);
  });
  std::vector<ModeTrial> trials;
  for (const std::optional<ModeTrial>& trial : found)
    if (trial) trials.push_back(*trial);
  const auto too_few = std::ranges::count_if(trials, [&](const ModeTrial& trial) {
    return !could_show_change(trial, result.rule.false_discovery_rate);
  });
  std::ranges::move(mode_changes(trials, result.rule, findings),
                    std::back_inserter(result.distribution_changes));
  if (too_few > 0)
    result.notes.push_back(fmt::format(
        "{} of the cases × metrics have two modes of processes; of {} this run's few visits cannot "
        "show whether they fall into the slower one more or less often.",
        trials.size(), too_few));
}

}  // namespace

bool is_judged(std::string_view metric) {
  const Metric* known = find_metric(metric);
  return !known || known->is_judged;
}

Comparison compare(const Run& baseline, const Run& candidate, const DecisionRule& rule,
                   const CompareOptions& options) {
  require_rule(rule);
  require_options(options);
  Comparison result;
  result.baseline_path = baseline.path;
  result.candidate_path = candidate.path;
  result.baseline = baseline.info;
  result.candidate = candidate.info;
  result.rule = rule;
  result.environment_changes = environment_changes(baseline.info, candidate.info);
  const std::string obstacle = incomparable(baseline.info, candidate.info);
  if (baseline.info.finished_at.empty()) result.notes.push_back("The baseline has not finished.");
  if (candidate.info.finished_at.empty()) result.notes.push_back("This run has not finished.");
  if (const auto& accepted = baseline.info.acceptance; accepted && !accepted->even_so.empty())
    result.notes.push_back(
        "The baseline could not show what counts in a third of its cases or more, and was accepted "
        "all the same: " +
        accepted->even_so);
  auto of_baseline = std::async(kThreadIfAny, rows_by_case, std::cref(baseline));
  const std::vector<CaseRows> new_cases = rows_by_case(candidate);
  const std::vector<CaseRows> old_cases = of_baseline.get();
  CaseMatching partners(old_cases, options.renames);
  std::ranges::copy(Expectations(candidate.info.expected).outlived(new_cases),
                    std::back_inserter(result.notes));
  const RunToRun run_to_run(options.history, baseline.info);
  const std::vector<CaseSides> sides = partners.sides_with(new_cases);
  std::ranges::move(status_notes(sides), std::back_inserter(result.notes));
  Pairing pairing = paired(sides, Pairing(result, options, run_to_run, obstacle));
  if (obstacle.empty()) result.rule = rule_for(pairing.contrasts, candidate.info, rule);
  note_machines(pairing.contrasts, rule, result);
  RunShifts shifts = judge(pairing.contrasts, result.rule, pairing.findings);
  result.shift = shifts.whole;
  result.part_shifts = std::move(shifts.parts);
  result.null_check = null_check(pairing.findings, shifts.fits);
  if (!pairing.contrasts.empty())
    result.self_check =
        pooled(check_screen(pairing.contrasts, pairing.halves, result.rule, pairing.findings,
                            std::uint64_t(candidate.info.policy.seed)),
               {});
  if (options.history && result.self_check)
    add_alarms_of_nights(*options.history, rule, result.self_check->own);
  if ((options.history && run_to_run.is_known()) || !pairing.contrasts.empty())
    result.notes.push_back(run_to_run.note(result.rule));
  if (run_to_run.is_known() && shifts.untold != 0)
    result.notes.push_back(
        fmt::format("All cases share {}: too little to be a finding. It is removed, as it is from "
                    "earlier runs.",
                    percent_text(shifts.untold)));
  result.distribution_changes = tail_changes(pairing.tails, result.rule, pairing.findings);
  add_mode_changes(pairing.modes, run_to_run, pairing.findings, result);
  result.findings = std::move(pairing.findings);
  result.shown = std::move(pairing.beside);
  sort_findings(result.findings);
  return result;
}

}  // namespace plumbline
