/// What a run measured of its device: calibration, and drift by each worker's sentinels.
#pragma once

#include <string>

#include "core/run.h"

namespace plumbline {

/// HTML, "" where nothing was recorded. `baseline` may be null.
std::string device_html(const RunInfo& candidate, const RunInfo* baseline);

}  // namespace plumbline
