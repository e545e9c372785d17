/// Rounds over cases: which case is measured when and by which worker, and what becomes of the
/// cases whose worker dies.
///
/// Rows go to a callback, so that files of results are somebody else's; workers come from a
/// factory, so that schedules are tested without processes.
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
  std::int64_t round = 0, rounds = 0;     // of the visit that begins; from 0
  std::size_t finished = 0, planned = 0;  // visits by workers, those of a resumed run included
  double remaining_s = kUnknown;  // by visits and starts so far; unknown before the first visit
  bool is_longest = false;        // remaining_s is the longest that it can take
};

struct ScheduleEvents {
  /// A visit, or a case that is not measured, with its rows (at least one). Called at once: what
  /// was handed over need not be measured again.
  std::function<void(const Case&, std::span<const ResultRow>)> on_visit;
  /// The files of the suite's code that a visit ran; called before on_visit.
  std::function<void(const Case&, std::span<const FileRef>)> on_files = [](const auto&, auto) {};
  /// Before each visit by a worker.
  std::function<void(const Case&, const Progress&)> on_progress = [](const auto&, const auto&) {};
  /// A worker that has started; again, with what it measured last, when it has ended in order.
  std::function<void(const WorkerRecord&)> on_worker = [](const auto&) {};
  /// What a person should know and no row carries.
  std::function<void(const std::string&)> on_note = [](const auto&) {};
};

struct ScheduleResult {
  bool interrupted = false;  // the case in flight was not recorded
  std::size_t visits = 0;    // made now, by workers
  std::size_t workers = 0;   // started
  std::size_t devices = 1;
  // Where the time of the devices went; what is neither processes nor visits is bookkeeping.
  double wall_s = 0;                      // the sum over the devices
  double processes_s = 0;                 // workers starting and ending
  double visits_s = 0;                    // from request to answer
  std::map<std::string, double> spent_s;  // visits by phase, as workers say (`launch`, `verify`, …)
};

/// Each round is, for each kind of worker that its cases need, a fresh one and a random order of
/// these cases, all following from the seed. A case that comes out of a visit without samples is
/// not measured again (UNSUPPORTED: not by that profile). A worker that dies costs the case that it
/// was at, no other. A profile in which no worker starts leaves its cases UNSUPPORTED there, with a
/// note, if workers of another profile do start. `interrupt` may be null. Throws Error for a worker
/// that does not start three times in a row where one did before or none does in any profile, and
/// for one that stands on another device, WorkerReplaced for another program; what on_visit throws
/// passes.
ScheduleResult run_cases(const Plan& plan, const WorkerFactory& factory,
                         const ScheduleEvents& events, Interrupt* interrupt);

}  // namespace plumbline
