/// The gate: measures suites, compares them with the accepted results, and measures cases in doubt
/// again, in pairs with the baseline's side.
///
/// This file orders the steps; workflow/run, workflow/sides and analysis/ do them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workflow/results/page.h"
#include "workflow/run/run_suites.h"
#include "workflow/sides/paired_run.h"

namespace plumbline {

struct CheckRequest {
  RunRequest run;
  PairOptions pairs;
  SidesOptions sides;
  std::optional<SideName> baseline_side;  // nothing: only this side is measured
  std::string baseline;              // a run or a baseline file; "" = what the project has accepted
  bool measures_again = false;       // without the baseline's side: this side, later
  bool trusts_screen = false;        // reports apparent changes as changes without confirmation
  std::vector<std::string> command;  // recorded in the run
};

struct CheckResult {
  int signal = 0;         // the signal that stopped it; there is no comparison then
  std::string directory;  // of the run, with comparison.json
  std::string baselines;  // where accepted results were searched for
  std::string history;    // folder of the earlier runs that it learned from; "" = none
  /// Without a comparison if nothing is accepted and no side was named, or if a signal stopped it.
  PageMaterial judged;
};

/// `on_run` is called with the candidate's run before it is judged, unless an earlier call measured
/// it. It may throw to end the work there. Throws Error; UnfinishedRun if the run can be resumed.
CheckResult check(CheckRequest request, Talk& talk,
                  const std::function<void(const RunOutcome&)>& on_run);

}  // namespace plumbline
