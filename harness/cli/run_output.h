/// The output at the end of a run: its table, or the command that resumes it.
#pragma once

#include <string>
#include <vector>

#include "workflow/run/run_counts.h"
#include "workflow/run/run_suites.h"

namespace plumbline {

/// How a command shows its run.
struct RunTelling {
  bool is_result = true;   // the table goes to standard output, else to standard error
  bool is_judged = false;  // a verdict follows, which says how noisy the cases are
};

/// Prints the table of a finished run, or the command that resumes a run stopped by a signal.
/// Returns how the cases of a finished run ended. Throws Error if no case was measured and none
/// failed.
RunCounts tell_run(const RunOutcome& outcome, const std::vector<std::string>& command,
                   const RunTelling& telling, Talk& talk);

/// The error, extended by the command that resumes the run.
Error with_resume_command(const UnfinishedRun& error, const std::vector<std::string>& command);

}  // namespace plumbline
