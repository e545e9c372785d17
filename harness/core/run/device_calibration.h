/// The peaks that were measured on the device of a row.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/run/run.h"

namespace plumbline {

/// Of a merged run: what the device's own shard measured, the first one with that device; else the
/// run's.
const std::map<std::string, double>& calibration_of(const RunInfo& run, std::string_view device);

}  // namespace plumbline
