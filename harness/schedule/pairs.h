/// Pairs: two builds measured side by side on one device, so that what moves both cancels.
///
/// A pair of a case is its four visits A B B A (or B A A B, at random) in two workers that live at
/// the same time, one of each build; a drift that is linear in time cancels within the four. Both
/// workers are fresh in each pair, because processes differ, and serve all cases in it. On a GPU
/// the second worker measures in the memory of the first (CUDA IPC), at the same offsets, because
/// placements differ more than builds do; where that cannot be had, each has its own, and a note
/// says so. Starts workers; judges nothing (analysis/paired.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "schedule/scheduler.h"

namespace plumbline {

/// Which build; an index into arrays of two.
enum class Side : std::size_t { a = 0, b = 1 };

struct PairEvents {
  /// A visit with its rows; the pair is their `round`, the place among the visits their `order`.
  std::function<void(Side, const Case&, std::span<const ResultRow>)> on_visit;
  std::function<void(const Case&, const Progress&)> on_progress = [](const auto&, const auto&) {};
  std::function<void(Side, const WorkerRecord&)> on_worker = [](Side, const auto&) {};
  std::function<void(const std::string&)> on_note = [](const auto&) {};
};

struct PairsResult {
  bool interrupted = false;
  std::size_t visits = 0, workers = 0;
  std::size_t apart = 0;  // pairs of workers on a GPU that shared no memory
};

/// The pairs [first, last) of the plan's cases; a case takes part in as many as its policy has
/// rounds. All orders follow from the plan's seed. A case that comes out of a visit without samples
/// is left out of what follows; `left_out` (by position in the plan; may be empty at first) takes
/// it up and carries it from one call to the next. A worker that dies takes its partner along, and
/// the other cases of the pair go on in fresh ones. Throws Error for a worker that does not start
/// three times in a row, and for one that stands on another device.
PairsResult run_pairs(const Plan& plan, std::int64_t first, std::int64_t last,
                      const std::array<PairWorkerFactory, 2>& sides, const PairEvents& events,
                      Interrupt* interrupt, std::set<std::size_t>& left_out);

}  // namespace plumbline
