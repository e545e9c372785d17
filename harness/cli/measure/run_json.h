/// A run as `run --json` prints it.
#pragma once

#include <string>

#include "workflow/run/run_suites.h"

namespace plumbline {

/// {"directory", "device_class", "cases": {status: number}, "results": one object for each case ×
/// metric, with its estimate, interval and unit; times in seconds; null = not known}.
std::string run_json(const RunOutcome& outcome);

}  // namespace plumbline
