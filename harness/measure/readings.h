/// What was measured in a visit, as its answer holds it.
#pragma once

#include <vector>

#include "core/run/result.h"
#include "device/device.h"

namespace plumbline {

/// The same metrics with their units, beside the device's state at their end. A floor that nobody
/// set is 0: nothing was subtracted.
std::vector<MeasuredMetric> readings_of(std::vector<MeasuredMetric> metrics,
                                        const DeviceState& state);

}  // namespace plumbline
