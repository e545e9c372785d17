/// Measures pairs up to each look, until every case is decided or all looks are used.
///
/// Connects pairs, the runs of both sides and the judgement that ends them. Knows no suites, flags
/// or worker programs.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "analysis/confirm/paired_comparison.h"
#include "schedule/pairs.h"
#include "store/run/run_writer.h"
#include "workflow/sides/control_runs.h"
#include "workflow/talk.h"

namespace plumbline {

/// What pairs are measured with; all of it outlives the call.
struct PairedWith {
  std::array<RunWriter*, 2> writers;
  std::array<std::string, 2> roots;  // of the sides' trees
  std::array<PairWorkers, 2> workers;
  ControlRuns& controls;
  double control_share;  // of the pairs' time
  RunListener& listener;
  Interrupt& interrupt;
};

struct PairLooks {
  bool interrupted = false;  // the trial then judges nothing
  std::size_t apart = 0;     // pairs of workers on one GPU that shared no memory
};

/// Throws as run_pairs() and RunWriter do.
PairLooks measure_looks(const PairPlan& plan, PairedTrial& trial, const PairedWith& with);

}  // namespace plumbline
