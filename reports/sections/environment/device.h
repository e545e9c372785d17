/// What a run measured of its device: calibration, and drift by each worker's sentinels.
#pragma once

#include "core/run/run.h"
#include "reports/template.h"

namespace plumbline {

/// Null if nothing was recorded. `baseline` may be null.
PageData calibration_data(const RunInfo& candidate, const RunInfo* baseline);

/// Null if nothing was recorded.
PageData drift_data(const RunInfo& info);

}  // namespace plumbline
