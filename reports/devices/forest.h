/// The cases of two columns with the intervals of their ratios: an average hides differences.
#pragma once

#include "analysis/devices/device_table.h"
#include "reports/template.h"

namespace plumbline {

/// Data of devices/forest.html, from the worst to the best case; null unless there are two columns
/// and a common case with an interval.
PageData forest_data(const DeviceTable& table);

}  // namespace plumbline
