/// Cases under a memory checker: which case a finding belongs to.
///
/// The tool tells its findings when it likes, not when they happen, so a worker that ran several
/// cases can acquit them but convict none: a finding is a case's only where its worker ran no
/// other. Workers and the tool's log come from a factory, so that this is tested without processes.
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
  std::function<std::string()> read_log;  // all that the tool has said so far
};
using SanitizedWorkerFactory = std::function<SanitizedWorker()>;

struct SanitizerEvents {
  /// Before a case runs; one may run several times.
  std::function<void(const Case&)> on_case = [](const auto&) {};
  /// What the tool said before the first case that is no finding.
  std::function<void(const std::string&)> on_note = [](const auto&) {};
};

struct SanitizerResult {
  std::vector<CheckedCase> cases;  // in the order of the cases
  std::size_t launched = 0;        // cases that ran
  bool interrupted = false;        // then without the cases that had not been settled
};

/// Runs each case once by a worker under `tool` (a name of kSanitizerTools, for the reasons).
/// Throws Error for a worker that does not start, and for findings before the first case.
SanitizerResult check_cases(std::span<const Case> cases, std::string_view tool,
                            const SanitizedWorkerFactory& factory, const SanitizerEvents& events,
                            Interrupt* interrupt);

}  // namespace plumbline
