/// Suites measured into a run directory, from the first check to the table at the end: what `run`
/// does, and `check` before it compares.
///
/// Judges nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "core/run.h"

namespace plumbline {

struct RunOutcome {
  int exit_code = 0;
  std::string directory;
  bool is_finished = false;  // false: the user stopped it
  Run run;                   // what was measured, where it is finished
};

/// What another command than `run` has told of the run that it makes.
struct RunTelling {
  bool is_result = true;   // the table goes to standard output, not to standard error
  bool is_judged = false;  // cases that all fail are told by the verdict, not as an Error
};

/// `command`: as it was typed; recorded, and told to go on with. Throws Error.
RunOutcome run_suites(const RunFlags& flags, const std::vector<std::string>& command,
                      const RunTelling& telling = {});

}  // namespace plumbline
