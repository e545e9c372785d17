/// Do launches on the same inputs give the same bits?
#pragma once

#include <functional>

#include "backends/implementation.h"

namespace plumbline {

/// Whether both hold the same shapes, types and bits; NaNs of the same bits are equal, 0 and -0 are
/// not. Waits for the device.
bool have_same_bits(const Tensors& first, const Tensors& second);

/// Launches beyond the first whose results are compared with its own.
constexpr int kRepeats = 3;

/// kRepeatsBitwise or kRepeatsVaries (core/run/run.h). `results` are of a launch that has finished,
/// `again` launches once more on the same inputs and returns what that gave: at the same place, for
/// nobody is to hold `results` any longer. "" where the device has no room for a second copy.
std::string_view repeatability(Tensors results, const std::function<Tensors()>& again);

}  // namespace plumbline
