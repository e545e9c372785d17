/// One case in a worker under a profiler or checker of NVIDIA's: what `profile` does.
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
  SuiteRequest suite;  // none: all suites of the project, or the stock suites
  WorkerRequest worker;
  std::string case_id, tool, check = "memcheck";
  std::string output = ".";   // folder
  std::int64_t launches = 0;  // 0: as the tool's row has it
  std::vector<std::string> tool_flags;
};

struct ProfileOutcome {
  int signal = 0;  // of the user, who did not want to wait; then nothing else is known
  std::string program;
  ProcessEnd end;
  std::string printed;                   // by the tool and the worker
  std::optional<MeasureAnswer> answer;   // of the worker, where it came to one
  std::optional<SanitizerReport> found;  // by compute-sanitizer
  std::string file;                      // that the tool is to write
  bool is_written = false;
};

/// Files of the call lie in `request.output`, named after the case. Throws Error for mistakes; what
/// the tool makes of the case is told in the outcome.
ProfileOutcome profile_case(const ProfileRequest& request, const std::vector<std::string>& command,
                            Talk& talk);

}  // namespace plumbline
