/// A program of the user's under the recorder of harness/python/plumbline_gpu/capture: what
/// `capture` does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/process/child_process.h"

namespace plumbline {

struct CaptureRequest {
  std::vector<std::string> program;  // and its arguments
  std::string output = "captured.yaml";
  std::int64_t steps = 3;  // that are recorded
};

struct CaptureOutcome {
  ProcessEnd end;                   // of the program
  bool is_written = false;          // the suite, to the request's output
  std::vector<std::string> head{};  // what the suite's first lines say of it, a line each
};

/// Runs the program with our input, output and folder, and keeps the suite that it leaves. Throws
/// Error where the program cannot be started, where Python's part is not installed, and for an
/// output that is there and no captured suite; this before the program starts.
CaptureOutcome capture(const CaptureRequest& request);

}  // namespace plumbline
