/// Measures two sides in pairs and judges them: the command `ab`.
#pragma once

#include <string>
#include <vector>

#include "workflow/results/page.h"
#include "workflow/sides/paired_run.h"

namespace plumbline {

struct AbRequest {
  SideName a, b;  // the baseline's side, the candidate's
  SidesOptions sides;
  RunRequest run;
  PairOptions pairs;
  std::vector<std::string> command;  // recorded in the runs
};

struct AbResult {
  int signal = 0;       // the signal that stopped it; nothing is judged then
  std::string folder;   // holds the runs a and b, and comparison.json
  PageMaterial judged;  // both runs and their comparison
};

/// Throws Error.
AbResult measure_ab(AbRequest request, Talk& talk);

/// Throws Error if the policy says what --looks says.
void require_no_rounds(const RunRequest& run);

}  // namespace plumbline
