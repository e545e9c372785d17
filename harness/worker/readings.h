/// What was measured in a visit, as its answer holds it.
#pragma once

#include <vector>

#include "device/device.h"
#include "measure/sampler.h"
#include "protocol/messages.h"

namespace plumbline {

/// One of each measurement, in their order, beside the device's state at their end.
std::vector<MetricReading> readings_of(const std::vector<Measurement>& measurements,
                                       const DeviceState& state);

}  // namespace plumbline
