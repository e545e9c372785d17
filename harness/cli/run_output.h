/// What people see of a run at its end: its table, or the command that goes on with it.
#pragma once

#include <string>
#include <vector>

#include "workflow/run/run_counts.h"
#include "workflow/run/run_suites.h"

namespace plumbline {

/// How a command shows the run that it makes.
struct RunTelling {
  bool is_result = true;   // the table goes to standard output, not to standard error
  bool is_judged = false;  // a verdict follows, which tells how noisy the cases are
};

/// The table of a finished run; of one that a signal stopped, the command that goes on with it.
/// Gives how the cases of a finished run ended. Throws Error where none was measured and none
/// failed.
RunCounts tell_run(const RunOutcome& outcome, const std::vector<std::string>& command,
                   const RunTelling& telling, Talk& talk);

/// The error, with the command that goes on with the run.
Error with_resume_command(const UnfinishedRun& error, const std::vector<std::string>& command);

}  // namespace plumbline
