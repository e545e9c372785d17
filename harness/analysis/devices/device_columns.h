/// The columns of a table of devices: their names, and what belongs to the software stack.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// One column for each run, with prices and powers. Its name is that of its variant, or its device
/// model and what distinguishes it from runs of the same model. Throws as device_table() does for
/// names.
std::vector<DeviceColumn> columns_of(std::span<const Run> runs, const DeviceOptions& options);

/// The column that a name means. An exact match wins; then the only column that contains the name
/// as whole words ("B200" in "NVIDIA B200"); then the only one that contains it at all. Otherwise
/// throws Error that names the flag.
std::size_t column_named(const std::vector<DeviceColumn>& columns, const std::string& name,
                         std::string_view flag);

/// True if the difference is one of drivers, libraries or code.
bool is_stack(const EnvironmentChange& change);

}  // namespace plumbline
