/// The page of devices side by side: a table to filter, what each model comes to, rooflines.
///
/// Self-contained as the report is (reports/report.h), and whole with scripts off. Reads no file.
#pragma once

#include <string>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// "" as title names the page by its reference.
std::string render_devices(const DeviceTable& table, const std::string& title);

}  // namespace plumbline
