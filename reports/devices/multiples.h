/// Ratios along an axis of the sweep, on the page of devices: a small picture for each column.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/devices/device_table.h"
#include "reports/template.h"

namespace plumbline {

/// Data of devices/multiples.html for the axis with the most values; devices.js draws the others.
/// Null if the common cases do not differ in any parameter.
PageData multiples_data(const DeviceTable& table, const std::vector<std::size_t>& order);

}  // namespace plumbline
