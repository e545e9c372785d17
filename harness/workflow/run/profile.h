/// One case in a worker under a profiler or checker of NVIDIA: the command `profile`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sanitizer.h"
#include "protocol/messages.h"
#include "schedule/process/child_process.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

struct ProfileRequest {
  SuiteRequest suite;  // empty: all suites of the project, or the stock suites
  WorkerRequest worker;
  std::string case_id, tool, check = "memcheck";
  std::string output = ".";   // folder
  std::int64_t launches = 0;  // 0: as the tool's entry says
  std::vector<std::string> tool_flags;
};

struct ProfileOutcome {
  int signal = 0;  // the user's signal; nothing else is known then
  std::string program;
  ProcessEnd end;
  std::string printed;                   // by the tool and the worker
  std::optional<MeasureAnswer> answer;   // of the worker, if it gave one
  std::optional<SanitizerReport> found;  // by compute-sanitizer
  std::string file;                      // the tool's output file
  bool is_written = false;
};

/// Files of the call are in `request.output`, named after the case. Throws Error for mistakes; the
/// tool's result is in the outcome.
ProfileOutcome profile_case(const ProfileRequest& request, const std::vector<std::string>& command,
                            Talk& talk);

}  // namespace plumbline
