#include "simulation/verdicts.h"

#include <filesystem>

#include "analysis/confirm/screen_alone.h"
#include "schedule/plan.h"
#include "simulation/pair_lives.h"
#include "support/kept_talk.h"
#include "workflow/judge/compare_runs.h"
#include "workflow/judge/measured_pairs.h"
#include "workflow/results/input_runs.h"

namespace plumbline::simulation {
namespace {

/// Runs with fewer rounds show no change (compare.cpp).
constexpr std::int64_t kRoundsNeeded = 3;

std::set<CaseKey> runnable_cases(const Scenario& scenario) {
  std::set<CaseKey> keys;
  for (const Case& c : scenario.cases)
    if (is_runnable(c)) keys.insert({c.suite, c.id});
  return keys;
}

void count(Tally& tally, Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
    case Verdict::looks_slower:
      return tally.add(Count::slower);
    case Verdict::faster:
    case Verdict::looks_faster:
      return tally.add(Count::faster);
    case Verdict::same:
      return tally.add(Count::same);
    case Verdict::broken:
      return tally.add(Count::broken);
    default:
      return tally.add(Count::other_verdicts);
  }
}

std::string text(const Finding& finding) {
  return std::string(name_of(finding.verdict)) + " for " + finding.case_id + " (" + finding.metric +
         "; " + finding.reason + ")";
}

/// Whether both sides measured the metric in all visits.
bool has_times(const Scenario& scenario, std::size_t subject, const std::string& metric) {
  const bool is_refused = scenario.planted[subject].fate[0] == Fate::refused;
  const bool is_lacking = scenario.lacks_trace && metric.starts_with("kernel");
  return !is_refused && !is_lacking && !metric.empty();
}

void check_finding(const Scenario& scenario, const Finding& finding, Certainty certainty) {
  const std::size_t subject = scenario.position_of(finding.case_id);
  const PlantedCase& planted = scenario.planted[subject];
  const bool is_slower =
      finding.verdict == Verdict::slower || finding.verdict == Verdict::looks_slower;
  const bool is_faster =
      finding.verdict == Verdict::faster || finding.verdict == Verdict::looks_faster;
  const bool is_of_times = is_slower || is_faster || finding.verdict == Verdict::same;
  if (is_of_times && (scenario.fails(subject, 0) || scenario.fails(subject, 1)))
    violate("a verdict on times of a case that failed: " + text(finding), Harm::wrong_verdict);
  if (finding.verdict == Verdict::broken &&
      (scenario.fails(subject, 0) || !scenario.fails(subject, 1)))
    violate("no such failure was planted: " + text(finding), Harm::wrong_verdict);
  if ((is_slower && planted.change <= 0) || (is_faster && planted.change >= 0) ||
      (finding.verdict == Verdict::same && planted.change != 0))
    violate("no such change was planted: " + text(finding), Harm::wrong_verdict);
  const bool is_paired = certainty == Certainty::paired && finding.pairs > 0;
  if (!is_paired && (finding.verdict == Verdict::slower || finding.verdict == Verdict::faster))
    violate("a screen alone says " + text(finding), Harm::wrong_verdict);
  if (planted.change == 0 || !has_times(scenario, subject, finding.metric)) return;
  const bool is_needed = is_paired || scenario.rounds >= kRoundsNeeded;
  if (is_needed && !is_slower && !is_faster)
    violate("a planted change was not found: " + text(finding), Harm::wrong_verdict);
  if (is_paired && finding.verdict != Verdict::slower && finding.verdict != Verdict::faster)
    violate("pairs did not confirm a planted change: " + text(finding), Harm::wrong_verdict);
}

}  // namespace

void check_verdicts(const World& world, const Comparison& comparison, Certainty certainty) {
  const Scenario& scenario = world.scenario;
  std::set<std::size_t> found;
  for (const Finding& finding : comparison.findings) {
    check_finding(scenario, finding, certainty);
    found.insert(scenario.position_of(finding.case_id));
    count(world.tally, finding.verdict);
  }
  for (std::size_t i = 0; i < scenario.cases.size(); ++i)
    if (scenario.planted[i].change != 0 && !found.contains(i))
      violate("no verdict on " + scenario.cases[i].id, Harm::wrong_verdict);
  world.tally.add(Count::comparisons);
}

void compare_sides(World& world, const Run& baseline, const Run& candidate, bool in_pairs,
                   Dice dice) {
  KeptTalk talk;
  Screen screened = screen({baseline, {}}, candidate, screen_rule("cuda", {}), "", talk);
  Comparison& comparison = screened.comparison;
  const Doubts doubts = cases_in_doubt(comparison, {}, world.scenario.seed);
  Certainty certainty = Certainty::screened;
  if (in_pairs && !doubts.all().empty()) {
    const std::string folder = measured_pairs(world, doubts.all(), dice).folder;
    confirm_by_folders({folder}, {}, {comparison, doubts, baseline, candidate, screened.options},
                       talk);
    certainty = Certainty::paired;
  }
  hold_screen(comparison);
  check_verdicts(world, comparison, certainty);
}

void compare_in_pairs(World& world, Dice dice) {
  const std::set<CaseKey> cases = runnable_cases(world.scenario);
  if (cases.empty()) return;
  const MeasuredInPairs measured = measured_pairs(world, cases, dice);
  const Comparison comparison =
      measured.trial.comparison(measured.runs[0], measured.runs[1], CompareOptions{});
  check_verdicts(world, comparison, Certainty::paired);
}

}  // namespace plumbline::simulation
