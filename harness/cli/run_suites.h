/// Suites measured into a run directory, from the first check to the table at the end: what `run`
/// does, and `check` before it compares.
///
/// Judges nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"

namespace plumbline {

struct RunOutcome {
  int exit_code = 0;
  std::string directory;
  bool is_finished = false;  // false: the user stopped it
};

/// `command` is recorded: a `plumbline run` that measures the same. `is_result`: the table of what
/// was measured goes to standard output, not to standard error. Throws Error.
RunOutcome run_suites(const RunFlags& flags, const std::vector<std::string>& command,
                      bool is_result = true);

}  // namespace plumbline
