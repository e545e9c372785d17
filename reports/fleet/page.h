/// The page of a fleet: which devices and nodes are outside of their class, a tile for each node,
/// and a map of all devices by family, in which the ordinary ones are folded away.
///
/// Self-contained like the report (reports/report.h), and complete without scripts. Reads no file.
#pragma once

#include <optional>
#include <string>

#include "analysis/fleet/fleet.h"
#include "analysis/fleet/rules.h"

namespace plumbline {

/// `decision`: of a rule file, if there is one. With "" as title, the page names itself.
std::string render_fleet(const Fleet& fleet, const std::optional<FleetDecision>& decision,
                         const std::string& title);

}  // namespace plumbline
