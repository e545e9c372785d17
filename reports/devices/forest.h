/// A pair's cases, each with the interval of its ratio: what an average hides both ways.
#pragma once

#include "analysis/devices/device_table.h"
#include "reports/template.h"

namespace plumbline {

/// Data of devices/forest.html, from the worst to the best case; null for other than two columns
/// and where no common case has an interval.
PageData forest_data(const DeviceTable& table);

}  // namespace plumbline
