/// The cases that look changed, measured again by the candidate's build alone: what `check` does
/// where the baseline's build is not at hand. analysis/confirm/rerun.h judges what that gives.
#pragma once

#include <string>
#include <vector>

#include "analysis/confirm/confirm.h"
#include "workflow/run/run_suites.h"

namespace plumbline {

struct LaterRequest {
  RunRequest run;                    // of the candidate
  std::vector<std::string> command;  // that is recorded
  std::string folder;                // that is measured into
};

/// Settles what is in doubt in a comparison of the two runs. Gives the signal that stopped the
/// later run, or 0; nothing is settled where one did. Throws Error.
int confirm_by_later_run(const LaterRequest& request, const Doubts& doubts, const Run& baseline,
                         const Run& candidate, const CompareOptions& options,
                         Comparison& comparison, Talk& talk);

}  // namespace plumbline
