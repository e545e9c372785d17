/// Rounds over cases: which case is measured when and by which worker, and what becomes of the
/// cases whose worker dies.
///
/// Rows go to a callback, so that files of results are somebody else's; workers come from a
/// factory, so that schedules are tested without processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/run.h"
#include "schedule/interrupt.h"
#include "schedule/worker.h"

namespace plumbline {

/// Part `index` (from 1) of `count` parts that together are all cases. Which part a case belongs to
/// follows from its suite and id alone.
struct Shard {
  std::int64_t index = 1, count = 1;
  bool holds(const Case& c) const;
};

struct Plan {
  std::span<const Case> cases;  // selected ones; excluded and unsupported ones give a row each
  std::int64_t seed = 1;        // orders follow from it; inputs from the seed of a case's policy
  Shard shard;
  std::string device_uuid;                // where the run is; a worker elsewhere is an Error
  std::span<const ResultRow> measured{};  // whole visits of a run that is resumed
};

struct Progress {
  std::int64_t round = 0, rounds = 0;     // of the visit that begins; from 0
  std::size_t finished = 0, planned = 0;  // visits by workers, those of a resumed run included
  double remaining_s = kUnknown;          // from the visits so far; unknown before the first
};

struct ScheduleEvents {
  /// A visit, or a case that is not measured, with its rows (at least one). Called at once: what
  /// was handed over need not be measured again.
  std::function<void(const Case&, std::span<const ResultRow>)> on_visit;
  /// Before each visit by a worker.
  std::function<void(const Case&, const Progress&)> on_progress = [](const auto&, const auto&) {};
  /// The first line of each worker.
  std::function<void(const Hello&)> on_worker = [](const auto&) {};
  /// What a person should know and no row carries.
  std::function<void(const std::string&)> on_note = [](const auto&) {};
};

struct ScheduleResult {
  bool interrupted = false;  // the case in flight was not recorded
  std::size_t visits = 0;    // made now, by workers
  std::size_t workers = 0;   // started
};

/// Each round is a fresh worker and a random order of the cases, both following from the seed. A
/// case that comes out of a visit without samples is not measured again. A worker that dies costs
/// the case that it was at, no other. `interrupt` may be null. Throws Error for a worker that does
/// not start three times in a row, or that stands on another device; what on_visit throws passes.
ScheduleResult run_cases(const Plan& plan, const WorkerFactory& factory,
                         const ScheduleEvents& events, Interrupt* interrupt);

/// Positions into `cases` in the order of a round: those of `shard` that are measured in it. The
/// order of two cases does not depend on which others there are.
std::vector<std::size_t> order_of_round(std::span<const Case> cases, std::int64_t seed,
                                        std::int64_t round, const Shard& shard);

/// Rows of an answer, in the order of its metrics; one without metric where there are no samples.
std::vector<ResultRow> rows_of(const Case& c, const MeasureAnswer& answer);

}  // namespace plumbline
