/// Measures cases without a run directory, for a program that writes results in its own form.
#pragma once

#include <vector>

#include "workflow/setup/run_plan.h"

namespace plumbline {

struct RunInMemory {
  int signal = 0;  // the signal that stopped it; the run is incomplete then
  Run run;
};

/// Measures `cases`, which must be part of the plan. Locks its devices meanwhile. Throws Error.
RunInMemory run_in_memory(const std::vector<Case>& cases, const RunPlan& plan,
                          const WorkerProgram& worker, Talk& talk);

}  // namespace plumbline
