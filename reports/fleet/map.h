/// The parts of a fleet's page that show all devices: tiles of nodes, and the map by family.
#pragma once

#include <string>
#include <vector>

#include "analysis/fleet/fleet.h"
#include "reports/template.h"

namespace plumbline {

/// How far off: "s1" to "s4" slower and "f1" to "f4" faster, from 0.5, 1, 2 and 5 %; "" below,
/// "none" if unknown. Classes of fleet.css.
std::string heat_class(double deviation);

/// Data of fleet/tiles.html: one tile for each host, the furthest off first.
PageData tiles_data(const Fleet& fleet);

/// Data of fleet/map.html, one map for each class: devices by family, the furthest off first.
PageData maps_data(const Fleet& fleet);

}  // namespace plumbline
