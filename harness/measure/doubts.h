/// What a visit's samples say against themselves: pure functions from a measurement to flags.
#pragma once

#include <vector>

#include "device/device.h"
#include "measure/sampler.h"

namespace plumbline {

/// Flags (flags.h) that follow from the samples, block clocks and other timers of one metric of a
/// visit. `floor`: what its timer subtracted, and how uncertain that is.
std::vector<const char*> doubts_about(const MeasuredMetric& measurement, const TimerFloor& floor);

/// The measurement gets them.
void flag_doubts(MeasuredMetric& measurement, const TimerFloor& floor);

}  // namespace plumbline
