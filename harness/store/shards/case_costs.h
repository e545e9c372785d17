/// What each case of a run took, from the column `spent` of results.csv, and the device that
/// measured it. Reads four columns only; keeps no samples.
#pragma once

#include <string>

#include "core/run/case_cost.h"

namespace plumbline {

struct RunCosts {
  CaseCosts costs;
  std::string hash;  // of results.csv: equal for everybody who read the same times
};

/// Throws Error for a path that is no run directory, a file that cannot be read, and a run that is
/// not finished: its times may still change.
RunCosts read_case_costs(const std::string& run_directory);

}  // namespace plumbline
