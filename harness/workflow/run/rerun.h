/// The cases that look changed, measured again by the candidate's build alone: what `check` does
/// where the baseline's build is not at hand (analysis/confirm/rerun.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/confirm/confirm.h"
#include "workflow/run/run_suites.h"

namespace plumbline {

/// A new folder `name` in the run: what an interruption left of an earlier one judges nothing, and
/// stays.
std::string new_folder_in(const std::string& directory, const std::string& name);

struct RerunRequest {
  RunRequest flags;                  // of the candidate's run
  std::vector<std::string> command;  // that is recorded
  std::string directory;             // of the candidate's run
};

/// Settles what is in doubt in a comparison of the two runs. Gives the run that was made for
/// that; nothing is settled where a signal stopped it. Throws Error.
RunOutcome confirm_by_rerun(const RerunRequest& request, const Doubts& doubts, const Run& baseline,
                            const Run& candidate, const CompareOptions& options,
                            Comparison& comparison, Talk& talk);

}  // namespace plumbline
