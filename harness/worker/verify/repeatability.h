/// Checks whether launches on the same inputs give the same bits.
#pragma once

#include <functional>

#include "backends/implementation.h"

namespace plumbline {

/// The elements as integers of the same width; of complex numbers, both parts.
at::Tensor bits_of(const at::Tensor& tensor);

/// Whether both have the same shapes, types and bits; NaNs of the same bits are equal, 0 and -0 are
/// not. Waits for the device.
bool have_same_bits(const Tensors& first, const Tensors& second);

/// Launches after the first whose results are compared with the first one's.
constexpr int kRepeats = 3;

/// kRepeatsBitwise or kRepeatsVaries (core/run/run.h). `results`: of a finished launch. `again`:
/// launches once more on the same inputs and returns its results. They lie at the same place, so
/// nobody else may hold `results`. Returns "" if the device has no room for a second copy.
std::string_view repeatability(Tensors results, const std::function<Tensors()>& again);

}  // namespace plumbline
