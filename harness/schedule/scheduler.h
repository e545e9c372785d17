/// Rounds over cases: which case is measured when and by which worker, and what happens to cases if
/// a worker dies.
///
/// A callback gets the rows, so no result files are needed here. A factory supplies workers, so
/// tests need no processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "core/file_ref.h"
#include "core/run/case.h"
#include "core/run/result.h"
#include "schedule/plan.h"
#include "schedule/process/interrupt.h"
#include "schedule/worker.h"

namespace plumbline {

struct Progress {
  std::int64_t round = 0, rounds = 0;     // of the next visit; from 0
  std::size_t finished = 0, planned = 0;  // visits by workers, with those of a resumed run
  double remaining_s = kUnknown;          // estimated from visits so far; unknown before the first
  bool is_longest = false;                // remaining_s is the longest that it can take
};

struct ScheduleEvents {
  /// A visit, or a case that is not measured, with its rows (at least one). Called immediately:
  /// these visits need not be measured again.
  std::function<void(const Case&, std::span<const ResultRow>)> on_visit;
  /// The files of the suite's code that a visit ran; called before on_visit.
  std::function<void(const Case&, std::span<const FileRef>)> on_files = [](const auto&, auto) {};
  /// Before each visit by a worker.
  std::function<void(const Case&, const Progress&)> on_progress = [](const auto&, const auto&) {};
  /// A worker that has started. Called again with its last measurements when it has ended normally.
  std::function<void(const WorkerRecord&)> on_worker = [](const auto&) {};
  /// Information for people that no row contains.
  std::function<void(const std::string&)> on_note = [](const auto&) {};
};

struct ScheduleResult {
  bool interrupted = false;  // the case in flight was not recorded
  std::size_t visits = 0;    // made now, by workers
  std::size_t workers = 0;   // started workers
  std::size_t devices = 1;
  // Time on the devices; the part without processes and visits is bookkeeping.
  double wall_s = 0;                      // sum over the devices
  double processes_s = 0;                 // starting and ending workers
  double visits_s = 0;                    // from request to answer
  std::map<std::string, double> spent_s;  // visits by phase: `launch`, `verify`, …
};

/// Each round starts a new worker for each needed kind and measures its cases in a random order;
/// all orders follow from the seed. A case whose visit has no samples is not measured again; after
/// UNSUPPORTED, other profiles still measure it. If a worker dies, only its current case is lost.
/// If no worker of a profile starts but other profiles work, that profile's cases become
/// UNSUPPORTED with a note. `interrupt` may be null. Throws Error for a worker on another device,
/// WorkerReplaced for another program.
/// Throws Error if a worker fails to start three times in a row and its profile has worked, or no
/// profile works. Exceptions of on_visit pass through.
ScheduleResult run_cases(const Plan& plan, const WorkerFactory& factory,
                         const ScheduleEvents& events, Interrupt* interrupt);

}  // namespace plumbline
