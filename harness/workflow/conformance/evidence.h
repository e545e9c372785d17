/// What a worker did when it was started and talked to: the evidence that checks look at.
///
/// Talks to the worker as the scheduler would, and as it never would. Judges nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "protocol/messages.h"

namespace plumbline {

struct ConformanceRequest {
  std::vector<std::string> program;  // and its arguments
  std::string device;                // "" = the first that it lists
  std::string suite;                 // whose first case is asked for; "" = a small add
  double timeout_s = 300;            // for each step, where that is less than what runs allow
};

/// What was printed by a call that answers one question.
struct Printed {
  std::string failure;  // why there is nothing, in words; "" = there is
  nlohmann::ordered_json json;
};

/// How a worker ended.
struct Ending {
  std::vector<std::string> lines;  // that it said before
  std::string failure;             // that it did not end, in words
  int exit_code = 0;
  std::string words;    // "exited with code 2"
  std::string printed;  // last line on standard output or error
};

/// A request and what came of it.
struct VisitRecord {
  MeasureRequest request;
  std::vector<std::string> lines;  // the answer is the last
  std::string failure;             // why there is no answer, in words
  std::optional<MeasureAnswer> answer;
  double elapsed_s = 0;
};

struct Evidence {
  Printed devices, schemas;
  std::string device;         // that it was started on
  std::string start_failure;  // why there is no hello, in words
  std::string hello_line;
  double start_s = 0;
  /// A case that it has, the same again, an op that nobody has, and the first case with keys that
  /// no version has. As many as were answered.
  std::vector<VisitRecord> visits;
  Ending finished, at_end_of_requests, after_nonsense;
};

/// Of the visits.
inline constexpr std::size_t kPlain = 0, kAgain = 1, kUnknownOp = 2, kNewerKeys = 3, kVisits = 4;

/// Throws Error where the program cannot be started at all.
Evidence gather_evidence(const ConformanceRequest& request);

}  // namespace plumbline
