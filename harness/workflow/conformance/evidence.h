/// What a worker did when it was started and sent requests: the evidence that checks examine.
///
/// Sends valid and invalid requests. Judges nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "protocol/messages.h"

namespace plumbline {

struct ConformanceRequest {
  std::vector<std::string> program;  // with its arguments
  std::string device;                // "" = the first one that it lists
  std::string suite;                 // its first case is requested; "" = a small add
  double timeout_s = 300;            // limit for each step, if below that of runs
};

/// What a call that answers one question printed.
struct Printed {
  std::string failure;  // why there is no JSON, in words; "" = there is
  nlohmann::ordered_json json;
};

/// How a worker ended.
struct Ending {
  std::vector<std::string> lines;  // printed before the end
  std::string failure;             // that it did not end, in words; "" = it ended
  int exit_code = 0;
  std::string words;    // "exited with code 2"
  std::string printed;  // last line on standard output or error
};

/// A request and its outcome.
struct VisitRecord {
  MeasureRequest request;
  std::vector<std::string> lines;  // the answer is the last one
  std::string failure;             // why there is no answer, in words
  std::optional<MeasureAnswer> answer;
  double elapsed_s = 0;
};

struct Evidence {
  Printed devices, schemas;
  std::string device;         // the worker's device
  std::string start_failure;  // why there is no hello, in words
  std::string hello_line;
  double start_s = 0;
  /// A case that it has, the same case again, an unknown op, and the first case with unknown keys.
  /// Contains only as many visits as were answered.
  std::vector<VisitRecord> visits;
  Ending finished, at_end_of_requests, after_nonsense;
};

/// Indexes of the visits.
inline constexpr std::size_t kPlain = 0, kAgain = 1, kUnknownOp = 2, kNewerKeys = 3, kVisits = 4;

/// Throws Error if the program cannot be started at all.
Evidence gather_evidence(const ConformanceRequest& request);

}  // namespace plumbline
