/// A fleet report as files: JSON with everything, CSV with a row per device or node × family.
///
/// analysis/fleet/fleet.h defines the contents. Deviations are fractions: 0.05 is 5 % slower.
#pragma once

#include <optional>
#include <string>

#include "analysis/fleet/fleet.h"
#include "analysis/fleet/rules.h"

namespace plumbline {

/// Unknown numbers are null.
std::string fleet_json(const Fleet& fleet, const std::optional<FleetDecision>& decision);

/// Unknown numbers are empty fields.
std::string fleet_csv(const Fleet& fleet);

}  // namespace plumbline
