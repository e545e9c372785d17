#include "analysis/confirm/earlier_nights.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/compare/contrast.h"
#include "analysis/compare/judge.h"
#include "core/parallel.h"
#include "core/run/case.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostNights = 5, kRunsBefore = 3;
/// A night is judged by at most this many before it: more say little more of how runs differ.
constexpr std::size_t kMostRunsBefore = 40;

/// Indexes of the earlier runs on the candidate's machine, in order of time.
std::vector<std::size_t> nights_of(const History& history) {
  const std::vector<std::size_t> machines = machines_of(history.runs);
  const auto candidate = std::ranges::find_if(history.runs, &PastRun::is_candidate);
  if (candidate == history.runs.end()) return {};
  const std::size_t own = machines[std::size_t(candidate - history.runs.begin())];
  std::vector<std::size_t> nights;
  for (std::size_t i = 0; i < history.runs.size(); ++i)
    if (machines[i] == own && !history.runs[i].is_candidate) nights.push_back(i);
  return nights;
}

/// Only the runs `nights`. The last run is the candidate, the one before the baseline.
HistoryPart part_until(const History& history, std::span<const std::size_t> nights) {
  HistoryPart part;
  part.numbers.assign(history.runs.size(), HistoryPart::kLeftOut);
  for (const std::size_t night : nights) {
    PastRun run = history.runs[night];
    run.is_candidate = night == nights.back();
    run.is_baseline = night == nights[nights.size() - 2];
    part.numbers[night] = part.runs.size();
    part.runs.push_back(std::move(run));
  }
  return part;
}

const PastValue* value_of(const Series& series, std::size_t run) {
  const auto found = std::ranges::lower_bound(series.values, run, {}, &PastValue::run);
  const bool is_there = found != series.values.end() && found->run == run;
  return !is_there || found->visits < 2 ? nullptr : &*found;
}

Finding finding_of(const Series& series, const DecisionRule& rule, double floor) {
  Finding finding;
  finding.suite = series.suite;
  finding.case_id = series.case_id;
  const auto parts = case_id_parts(series.case_id);
  if (!parts.empty()) finding.op = parts[0].second;
  if (parts.size() > 1) finding.backend = parts[1].second;
  finding.metric = series.metric;
  finding.unit = series.unit;
  finding.threshold = std::max(rule.effect_floor, std::expm1(floor));
  return finding;
}

/// Judges the last of `nights` against those before it, by times.
void judge_night(const History& history, std::span<const std::size_t> nights,
                 const DecisionRule& rule, SelfCheck& check) {
  const std::vector<RunVariance> known = run_variances(history, part_until(history, nights));
  std::vector<Contrast> contrasts;
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < history.series.size(); ++i) {
    const Series& series = history.series[i];
    if (series.unit != "s") continue;
    const PastValue *before = value_of(series, nights[nights.size() - 2]),
                    *now = value_of(series, nights.back());
    if (!before || !now || !(known[i].df > 0)) continue;
    contrasts.push_back(contrast_of(estimate_of_visits(series.visits_of(*before)),
                                    estimate_of_visits(series.visits_of(*now)), known[i], true));
    contrasts.back().finding = findings.size();
    findings.push_back(finding_of(series, rule, known[i].floor));
  }
  if (contrasts.empty()) return;
  judge(contrasts, rule, findings);
  ++check.nights;
  check.of_nights.cases += findings.size();
  check.of_nights.seen += std::size_t(std::ranges::count_if(findings, [](const Finding& finding) {
    return finding.verdict == Verdict::slower || finding.verdict == Verdict::faster;
  }));
}

}  // namespace

void add_alarms_of_nights(const History& history, const DecisionRule& rule, SelfCheck& check) {
  const std::vector<std::size_t> nights = nights_of(history);
  const std::size_t first =
      std::max(kRunsBefore, nights.size() - std::min(nights.size(), kMostNights));
  std::vector<SelfCheck> found(nights.size() - std::min(nights.size(), first));
  for_each_index(found.size(), [&](std::size_t i) {
    const std::size_t runs = std::min(first + i, kMostRunsBefore) + 1;
    judge_night(history, std::span(nights).first(first + i + 1).last(runs), rule, found[i]);
  });
  for (const SelfCheck& night : found) {
    check.nights += night.nights;
    check.of_nights.cases += night.of_nights.cases;
    check.of_nights.seen += night.of_nights.seen;
  }
}

}  // namespace plumbline
