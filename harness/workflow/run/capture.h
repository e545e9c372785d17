/// The command `capture`: runs a user's program under harness/python/plumbline_gpu/capture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/process/child_process.h"

namespace plumbline {

struct CaptureRequest {
  std::vector<std::string> program;  // with its arguments
  std::string output = "captured.yaml";
  std::int64_t steps = 3;  // number of recorded steps
  /// Bytes of inputs that are kept in a file beside the suite, at most; 0: none are.
  std::int64_t inputs_bytes = 0;
};

struct CaptureOutcome {
  ProcessEnd end;                   // of the program
  bool is_written = false;          // true: the suite was written to the request's output
  std::string inputs{};             // path of the file of inputs; "": none was written
  std::vector<std::string> head{};  // the first lines of the suite, which describe it
};

/// Runs the program with our input, output and folder, and keeps the suite that it records. Throws
/// Error if the program cannot be started. Before starting it, throws Error if the Python part is
/// not installed, or if the output exists and is no captured suite, or the file of inputs without
/// one.
CaptureOutcome capture(const CaptureRequest& request);

}  // namespace plumbline
