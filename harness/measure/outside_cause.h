/// Which device states spoil a block for reasons outside the measured case.
#pragma once

#include <string>

#include "device/device.h"

namespace plumbline {

/// Why launches just before this state do not count, "" if they do: "thermal", "power brake", "hw
/// slowdown" or "foreign work", the first that applies. A power cap is caused by the case itself
/// and is part of its time. Unknown states set nothing aside.
std::string outside_cause(const DeviceState& state);

}  // namespace plumbline
