#include "workflow/run/later_run.h"

#include "analysis/confirm/rerun.h"

namespace plumbline {
namespace {

/// Throws Error if it stops: the user's command cannot resume this run.
RunOutcome measured_later(const LaterRequest& request, const Doubts& doubts, Talk& talk) try {
  RunRequest run = request.run;
  run.output = request.folder;
  run.resume = false;
  run.suite.selection = {};
  for (const CaseKey& key : doubts.flagged) run.suite.selection.cases.push_back(key.case_id);
  return run_suites(run, request.command, talk);
} catch (const UnfinishedRun& error) {
  throw Error(error.what());
}

}  // namespace

int confirm_by_later_run(const LaterRequest& request, const Doubts& doubts, const Run& baseline,
                         const Run& candidate, const CompareOptions& options,
                         Comparison& comparison, Talk& talk) {
  const RunOutcome outcome = measured_later(request, doubts, talk);
  if (outcome.signal != 0) return outcome.signal;
  const Run later = with_rows(outcome);
  const Comparison joint = compare(baseline, with_visits_of(candidate, later),
                                   default_rule(candidate.info.environment.device_kind), options);
  confirm_by_rerun(comparison, doubts, joint, later);
  return 0;
}

}  // namespace plumbline
