/// The pictures of the page of devices, that need no script.
#pragma once

#include "analysis/devices/device_table.h"
#include "reports/template.h"

namespace plumbline {

/// Data of devices/ratios.html: a line of dots for each device, one a case, by its ratio on a
/// logarithmic scale; null where no device but the reference has one.
PageData ratios_data(const DeviceTable& table);

/// Data of devices/rooflines.html: a roofline for each device that was calibrated, with a dot for
/// each case whose cost is known; null where there is none.
PageData rooflines_data(const DeviceTable& table);

}  // namespace plumbline
