/// Runs of many devices, read night by night and judged: the command `fleet`.
///
/// Reads summaries, and the results of runs without one. analysis/fleet judges.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/fleet/fleet.h"
#include "analysis/fleet/rules.h"
#include "workflow/talk.h"

namespace plumbline {

struct FleetRequest {
  std::vector<std::string> runs;          // run directories, folders of them, baselines
  std::vector<std::string> metrics = {};  // only these; empty = all judged ones
  FleetRule rule = {};
  bool pools_nights = false;  // all runs count as one night
  std::string rules = {};     // rule file; "" = none
};

struct FleetReport {
  Fleet fleet;
  std::optional<FleetDecision> decision;  // with a rule file
};

/// A night is from noon to noon UTC, named by the date on which it began. Runs that do not
/// count (store/run/counted_runs.h) are left out, with a note. Throws Error for an unreadable file,
/// a mistake in the rules, a metric that no run has, and if nothing is left.
FleetReport fleet_of_runs(const FleetRequest& request, Talk& talk);

}  // namespace plumbline
