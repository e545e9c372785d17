/// The columns of a table of devices: their names, and what of a run is its stack.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// One for each run, named by its variant or its device model and what tells it from another of its
/// model; with prices and powers. Throws as device_table() does for their names.
std::vector<DeviceColumn> columns_of(std::span<const Run> runs, const DeviceOptions& options);

/// The column that a name means: the one of that name, else the only one in which it stands as
/// words of its own ("B200" in "NVIDIA B200"), else the only one that it is a part of; otherwise an
/// Error that names the flag.
std::size_t column_named(const std::vector<DeviceColumn>& columns, const std::string& name,
                         std::string_view flag);

/// Whether a difference of environments is one of drivers, libraries or code.
bool is_stack(const EnvironmentChange& change);

}  // namespace plumbline
