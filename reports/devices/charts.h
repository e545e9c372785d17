/// The pictures of the page of devices, as SVG that needs no script.
#pragma once

#include <string>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// A line of dots for each device, one a case, by its ratio on a logarithmic scale; "" where no
/// device but the reference has one.
std::string ratios_html(const DeviceTable& table);

/// A roofline for each device that was calibrated, with a dot for each case whose cost is known;
/// "" where there is none.
std::string rooflines_html(const DeviceTable& table);

}  // namespace plumbline
