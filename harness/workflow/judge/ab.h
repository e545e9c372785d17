/// Two sides measured beside each other in pairs, and judged: what `ab` does.
#pragma once

#include <string>
#include <vector>

#include "workflow/results/page.h"
#include "workflow/sides/paired_run.h"

namespace plumbline {

struct AbRequest {
  std::string a, b;  // the sides as they are named: the baseline's, the candidate's
  SidesOptions sides;
  RunRequest run;
  PairOptions pairs;
  std::vector<std::string> command;  // that is recorded
};

struct AbResult {
  int signal = 0;       // that stopped it; then nothing is judged
  std::string folder;   // of the runs a and b; comparison.json is in it
  PageMaterial judged;  // both runs and their comparison
};

/// Throws Error.
AbResult measure_ab(AbRequest request, Talk& talk);

}  // namespace plumbline
