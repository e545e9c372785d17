/// Pairs: two sides measured together on one device, so that common influences cancel.
///
/// A pair of a case is four visits A B B A (or B A A B, at random) in two workers at the same time,
/// one per side. A drift that is linear in time cancels within the four visits. Both workers are
/// new in each pair, because processes differ, and serve all its cases. On a GPU the second worker
/// measures in the first one's memory (CUDA IPC), at the same offsets: placements differ more than
/// sides do. If that is impossible, each uses its own memory, and a note says so. Starts workers;
/// judges nothing (analysis/confirm/judge_pairs.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "schedule/control_budget.h"
#include "schedule/scheduler.h"

namespace plumbline {

/// A side of a pair; an index into arrays of two.
enum class PairSide : std::size_t { a = 0, b = 1 };

/// What pairs measure. The sides may declare a case differently.
struct PairPlan {
  Plan plan;  // its cases; a case that only one side has is that side's
  /// The case as each side declares it, by position in the plan; null if the side lacks it. Empty:
  /// both declare the plan's cases.
  std::array<std::vector<const Case*>, 2> declared{};
  /// Positions of cases that are also controls: both workers measure them as side a declares them,
  /// so differences do not come from the sides. The first gets budgeted time first. Only for sides
  /// with the same worker program.
  std::vector<std::size_t> controls{};
  std::array<std::string, 2> worker_hashes{};  // of the sides' programs; another is an Error
};

struct PairEvents {
  /// A visit and its rows; their `round` is the pair, their `order` the visit's position in it.
  std::function<void(PairSide, const Case&, std::span<const ResultRow>)> on_visit;
  /// The same for a control.
  std::function<void(PairSide, const Case&, std::span<const ResultRow>)> on_control =
      [](PairSide, const auto&, auto) {};
  /// The files of the suite's code that a visit ran; called before on_visit.
  std::function<void(PairSide, const Case&, std::span<const FileRef>)> on_files =
      [](PairSide, const auto&, auto) {};
  std::function<void(const Case&, const Progress&)> on_progress = [](const auto&, const auto&) {};
  std::function<void(PairSide, const WorkerRecord&)> on_worker = [](PairSide, const auto&) {};
  std::function<void(const std::string&)> on_note = [](const auto&) {};
  std::function<double()> now_s = steady_s;
};

/// State that one call passes on to the next.
struct PairsCarried {
  std::set<std::size_t> left_out, controls_left_out;  // positions in the plan
  ControlBudget budget;
  // By which the time that is left is told: of pairs alone, and of all that was done.
  std::size_t visits = 0;
  double spent_s = 0;
};

struct PairsResult {
  bool interrupted = false;
  std::size_t visits = 0, workers = 0;
  std::size_t apart = 0;  // pairs of workers on a GPU without shared memory
};

/// Measures pairs [first, last) of the plan's cases; the policy's rounds limit a case's pairs. A
/// case that only one side has is visited once, in pair 0. All orders follow from the plan's seed.
/// A visit without samples ends its case. When a worker dies, its partner ends too; the remaining
/// cases of the pair continue in new workers. Controls come last in a pair, within the budget.
/// Throws Error if a worker fails to start three times in a row, or is on another device, and
/// WorkerReplaced for another program.
PairsResult run_pairs(const PairPlan& plan, std::int64_t first, std::int64_t last,
                      const std::array<PairWorkers, 2>& sides, const PairEvents& events,
                      Interrupt* interrupt, PairsCarried& carried);

}  // namespace plumbline
