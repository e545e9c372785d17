/// Cases measured without a run directory: for a program that writes results in a form of its own.
#pragma once

#include <vector>

#include "workflow/setup/run_plan.h"

namespace plumbline {

struct RunInMemory {
  int signal = 0;  // that stopped it; then the run is not whole
  Run run;
};

/// Measures `cases`, which are of the plan. Its devices are locked meanwhile. Throws Error.
RunInMemory run_in_memory(const std::vector<Case>& cases, const RunPlan& plan,
                          const WorkerProgram& worker, Talk& talk);

}  // namespace plumbline
