/// Pairs: two sides measured one beside the other on one device, so that what moves both cancels.
///
/// A pair of a case is its four visits A B B A (or B A A B, at random) in two workers that live at
/// the same time, one of each side; a drift that is linear in time cancels within the four. Both
/// workers are fresh in each pair, because processes differ, and serve all cases in it. On a GPU
/// the second worker measures in the memory of the first (CUDA IPC), at the same offsets, because
/// placements differ more than sides do; where that cannot be had, each has its own, and a note
/// says so. Starts workers; judges nothing (analysis/confirm/judge_pairs.h).
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

/// Which side of a pair; an index into arrays of two.
enum class PairSide : std::size_t { a = 0, b = 1 };

/// What pairs are to measure. A case may be declared otherwise by either side.
struct PairPlan {
  Plan plan;  // its cases: what both are measured as, and where one side lacks it, the other's
  /// The case as a side declares it, by position in the plan; null where that side lacks it. Empty:
  /// both declare the plan's.
  std::array<std::vector<const Case*>, 2> declared{};
  /// Positions of cases that serve as controls, too: both workers measure them as side a declares
  /// them, so that whatever differs is no difference of the sides. The first has the first claim on
  /// the time that the budget affords. For sides whose workers are one program alone.
  std::vector<std::size_t> controls{};
  std::array<std::string, 2> worker_hashes{};  // of the sides' programs; another is an Error
};

struct PairEvents {
  /// A visit with its rows; the pair is their `round`, the place among the visits their `order`.
  std::function<void(PairSide, const Case&, std::span<const ResultRow>)> on_visit;
  /// The same of a control.
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

/// What one call hands on to the next.
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
  std::size_t apart = 0;  // pairs of workers on a GPU that shared no memory
};

/// The pairs [first, last) of the plan's cases; a case takes part in as many as its policy has
/// rounds. A case that one side lacks is visited once, by the other, in pair 0. All orders follow
/// from the plan's seed. A case that comes out of a visit without samples is left out of what
/// follows. A worker that dies takes its partner along, and the other cases of the pair go on in
/// fresh ones. Controls come last in a pair, while the budget affords them. Throws Error for a
/// worker that does not start three times in a row, and for one that stands on another device;
/// WorkerReplaced for another program.
PairsResult run_pairs(const PairPlan& plan, std::int64_t first, std::int64_t last,
                      const std::array<PairWorkers, 2>& sides, const PairEvents& events,
                      Interrupt* interrupt, PairsCarried& carried);

}  // namespace plumbline
