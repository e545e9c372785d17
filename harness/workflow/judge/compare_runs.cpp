#include "workflow/judge/compare_runs.h"

#include <filesystem>

#include "analysis/compare/judge.h"
#include "analysis/compare/quieter_timer.h"
#include "analysis/confirm/screen_alone.h"
#include "analysis/estimate/moved_bytes.h"
#include "core/error.h"
#include "store/file.h"
#include "store/recorded/evidence.h"
#include "workflow/judge/accept.h"
#include "workflow/judge/ledger.h"
#include "workflow/judge/measured_pairs.h"
#include "workflow/results/input_runs.h"
#include "workflow/results/past_runs.h"
#include "workflow/setup/project.h"
#include "workflow/sides/control_runs.h"

namespace plumbline {

namespace fs = std::filesystem;

Screen screen(const Baseline& baseline, const Run& candidate, const DecisionRule& rule,
              const std::string& history, Talk& talk) {
  SuiteRules rules = rules_of(candidate);
  talk.notes(rules.notes);
  Screen made{{}, std::move(rules.options), nullptr};
  if (!history.empty() || !baseline.others.empty()) {
    made.history = std::make_unique<History>(past_runs(history, baseline, candidate, talk));
    made.options.history = made.history.get();
  }
  made.comparison = compare(baseline.run, candidate, rule, made.options);
  follow_quieter_timer(made.comparison, evidence_from({{&baseline.run, &candidate, false}}));
  return made;
}

DecisionRule screen_rule(std::string_view device_kind, const Thresholds& thresholds) {
  DecisionRule rule = default_rule(device_kind);
  if (thresholds.margin) rule.margin = *thresholds.margin;
  if (thresholds.threshold) rule.effect_floor = *thresholds.threshold;
  if (thresholds.false_discovery_rate) rule.false_discovery_rate = *thresholds.false_discovery_rate;
  return rule;
}

PageMaterial compare_runs(const CompareRequest& request, Talk& talk) {
  if (is_baselines_folder(request.candidate))
    throw Error("the candidate '" + request.candidate + "' is no run: it has no run.json");
  // Absolute paths, so that a report finds the runs from another folder.
  InputRuns inputs = read_input_runs(fs::absolute(request.baseline).string(),
                                     fs::absolute(request.candidate).string());
  PageMaterial compared{std::move(inputs.candidate), std::nullopt, std::nullopt};
  const Run& candidate = *compared.candidate;
  talk.notes(candidate.warnings);
  if (!inputs.baseline) return compared;
  const Run& baseline = inputs.baseline->run;
  talk.notes(baseline.warnings);
  if (const auto path = fs::weakly_canonical(candidate.path);
      path == fs::weakly_canonical(baseline.path))
    talk.note("both are the same run, " + path.string() + ": no case can differ");
  for (const Run* run : {&candidate, &baseline})
    if (run->info.finished_at.empty())
      talk.note(run->path + " is not finished: what it lacks counts as missing");
  const Project project = find_project(".", request.places);
  const Thresholds thresholds = with_defaults(request.thresholds, project.thresholds);
  const DecisionRule rule = screen_rule(candidate.info.environment.device_kind, thresholds);
  Screen screened = screen(*inputs.baseline, candidate, rule, project.history, talk);
  Comparison& comparison = screened.comparison;
  Doubts doubts = cases_in_doubt(comparison, {}, std::uint64_t(candidate.info.policy.seed));
  doubts.audited.clear();  // pairs are jobs of their own here: only for what looks changed
  if (!request.doubts.empty()) write_atomically(request.doubts, doubts_text(doubts, candidate));
  if (!request.pairs.empty())
    confirm_by_folders(request.pairs, thresholds,
                       {comparison, doubts, baseline, candidate, screened.options}, talk);
  if (!request.trusts_screen) hold_screen(comparison);
  say_why(comparison);
  apply_ledger_of(request.baseline, comparison);
  add_earlier_controls(comparison, project.history, candidate.path, talk);
  explain(comparison, baseline, candidate);
  note_costs_that_are_off(candidate, comparison);
  add_refusal(candidate, comparison);
  compared.comparison = std::move(comparison);
  compared.baseline = std::move(inputs.baseline->run);
  return compared;
}

}  // namespace plumbline
