/// The cases of suites under compute-sanitizer, without times: what `run --sanitizer` does.
///
/// Writes sanitizer.json, not the results of a run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/sanitizer.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

struct SanitizedSuites {
  int signal = 0;                  // that stopped it; then without the cases that were not settled
  std::string directory;           // of sanitizer.json
  std::vector<CheckedCase> cases;  // in the order of the suites
  std::size_t launched = 0;        // cases that ran
};

/// Runs each case once under the tool of `request.sanitizer`. Throws Error where the tool is
/// missing.
SanitizedSuites run_under_sanitizer(const RunRequest& request,
                                    const std::vector<std::string>& command, Talk& talk);

}  // namespace plumbline
