/// Runs cases under a memory checker, and finds the case that each error belongs to.
///
/// The tool reports errors late, so a worker that ran several cases can clear them but cannot blame
/// one. An error belongs to a case only if its worker ran no other case. A factory supplies workers
/// and the tool's log, so that tests need no processes.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "core/sanitizer.h"
#include "schedule/process/interrupt.h"
#include "schedule/worker.h"

namespace plumbline {

/// A worker that runs under the tool.
struct SanitizedWorker {
  std::unique_ptr<Worker> worker;         // null: the user wants to stop
  std::function<std::string()> read_log;  // everything that the tool has printed so far
};
using SanitizedWorkerFactory = std::function<SanitizedWorker()>;

struct SanitizerEvents {
  /// Before a case runs; a case may run several times.
  std::function<void(const Case&)> on_case = [](const auto&) {};
  /// Messages of the tool before the first case that are not findings.
  std::function<void(const std::string&)> on_note = [](const auto&) {};
};

struct SanitizerResult {
  std::vector<CheckedCase> cases;  // in the order of the cases
  std::size_t launched = 0;        // number of cases that ran
  bool interrupted = false;        // then `cases` lacks the undecided ones
};

/// Runs each case once in a worker under `tool` (a name of kSanitizerTools, used in reasons).
/// Throws Error if a worker does not start, and for findings before the first case.
SanitizerResult check_cases(std::span<const Case> cases, std::string_view tool,
                            const SanitizedWorkerFactory& factory, const SanitizerEvents& events,
                            Interrupt* interrupt);

}  // namespace plumbline
