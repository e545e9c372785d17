/// The page of devices side by side: a table with a filter, a summary of each model, rooflines.
///
/// Self-contained like the report (reports/report.h), and complete without scripts. Reads no file.
#pragma once

#include <string>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// With "" as title, the reference names the page.
std::string render_devices(const DeviceTable& table, const std::string& title);

}  // namespace plumbline
