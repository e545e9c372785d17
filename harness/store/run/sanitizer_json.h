/// sanitizer.json: the findings of a memory checker in each case of a run.
#pragma once

#include <string>
#include <vector>

#include "core/run/environment.h"
#include "core/sanitizer.h"

namespace plumbline {

struct SanitizerRun {
  std::string tool;  // one of kSanitizerTools
  std::string tool_version, plumbline, started_at;
  std::vector<std::string> command;
  Environment environment;
  std::vector<CheckedCase> cases;
};

/// The file's text: every case, with its findings and everything the tool said about it.
std::string sanitizer_json(const SanitizerRun& run);

}  // namespace plumbline
