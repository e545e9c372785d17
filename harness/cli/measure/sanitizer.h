/// plumbline run --sanitizer: the cases of suites under compute-sanitizer, without times.
///
/// Writes sanitizer.json, not the results of a run.
#pragma once

#include <string>
#include <vector>

#include "workflow/plan/request.h"

namespace plumbline {

/// Runs each case once under the tool of --sanitizer and shows what was found. Exit code: 0 nothing
/// was found and all cases do what they should, 1 findings or a case that fails. Throws Error where
/// the tool is missing or no case could be launched.
int check_suites(const RunRequest& flags, const std::vector<std::string>& command);

}  // namespace plumbline
