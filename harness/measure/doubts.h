/// Pure functions that find doubtful properties of a visit's samples and return flags.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"
#include "measure/sampler.h"

namespace plumbline {

/// Flags (flags.h) for one metric of a visit, from its samples, block clocks and other timers.
/// `floor`: what its timer subtracted, with the uncertainty.
std::vector<std::string> doubts_about(const MeasuredMetric& measurement, const TimerFloor& floor);

/// Adds these flags to the measurement.
void flag_doubts(MeasuredMetric& measurement, const TimerFloor& floor);

}  // namespace plumbline
