/// Which devices and nodes of a fleet are outside of their class.
///
/// Every device × family, every device over all families, and the same of nodes, are tests of one
/// family of tests: Holm's adjustment limits the probability of any false outlier to
/// FleetRule::rate. An outlier is also at least FleetRule::least off. Pure.
#pragma once

#include "analysis/fleet/fleet.h"
#include "analysis/fleet/nights.h"

namespace plumbline {

Fleet judge_fleet(FleetSeries series, const FleetRule& rule);

}  // namespace plumbline
