/// Runs the cases of suites under compute-sanitizer, without times: `run --sanitizer`.
///
/// Writes sanitizer.json instead of the results of a run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/sanitizer.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

struct SanitizedSuites {
  int signal = 0;                  // the signal that stopped it; unfinished cases are left out then
  std::string directory;           // holds sanitizer.json
  std::vector<CheckedCase> cases;  // in the order of the suites
  std::size_t launched = 0;        // cases that ran
};

/// Runs each case once under the tool of `request.sanitizer`. Throws Error if the tool is missing.
SanitizedSuites run_under_sanitizer(const RunRequest& request,
                                    const std::vector<std::string>& command, Talk& talk);

}  // namespace plumbline
