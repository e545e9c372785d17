/// The results of a visit as its answer contains them.
#pragma once

#include <vector>

#include "core/run/result.h"
#include "device/device.h"

namespace plumbline {

/// The metrics with their units and the device's state at their end. An unset floor is 0: nothing
/// was subtracted.
std::vector<MeasuredMetric> readings_of(std::vector<MeasuredMetric> metrics,
                                        const DeviceState& state);

}  // namespace plumbline
