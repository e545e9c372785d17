/// The cases that look changed, measured again by the candidate's build alone: what `check` does
/// where the baseline's build is not at hand (analysis/rerun.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/confirm.h"
#include "cli/run_suites.h"

namespace plumbline {

/// A new folder `name` in the run: what an interruption left of an earlier one judges nothing, and
/// stays.
std::string new_folder_in(const std::string& directory, const std::string& name);

struct RerunRequest {
  RunFlags flags;                    // of the candidate's run
  std::vector<std::string> command;  // that is recorded
  std::string directory;             // of the candidate's run
  RunTelling telling;
};

/// Settles what is in doubt in a comparison of the two runs. Gives the exit code where the user
/// stopped it, or 0. Throws Error.
int confirm_by_rerun(const RerunRequest& request, const Doubts& doubts, const Run& baseline,
                     const Run& candidate, const CompareOptions& options, Comparison& comparison);

}  // namespace plumbline
