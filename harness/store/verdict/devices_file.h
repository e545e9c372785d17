/// Devices side by side as files: JSON with everything, CSV with a row per case × metric × device.
///
/// analysis/devices/device_table.h defines the contents.
#pragma once

#include <string>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// Unknown numbers are null.
std::string devices_json(const DeviceTable& table);

/// Unknown numbers are empty fields.
std::string devices_csv(const DeviceTable& table);

}  // namespace plumbline
