/// Measures the cases that look changed again, by the candidate's build alone: `check` does this if
/// the baseline's build is not available. analysis/confirm/rerun.h judges the result.
#pragma once

#include <string>
#include <vector>

#include "analysis/confirm/confirm.h"
#include "workflow/run/run_suites.h"

namespace plumbline {

struct LaterRequest {
  RunRequest run;                    // the candidate's
  std::vector<std::string> command;  // recorded in the run
  std::string folder;                // for the new run
};

/// Decides the cases in doubt in a comparison of the two runs. Returns the signal that stopped the
/// later run, or 0; after a signal nothing is decided. Throws Error.
int confirm_by_later_run(const LaterRequest& request, const Doubts& doubts, const Run& baseline,
                         const Run& candidate, const CompareOptions& options,
                         Comparison& comparison, Talk& talk);

}  // namespace plumbline
