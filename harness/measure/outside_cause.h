/// Which states of a device spoil a block for causes outside the case that it measures.
#pragma once

#include <string>

#include "device/device.h"

namespace plumbline {

/// Why launches just before this state do not count, "" where they do: "thermal", "power brake",
/// "hw slowdown" or "foreign work", the first that applies. A power cap is the case's own doing and
/// part of its time. What is unknown sets nothing aside.
std::string outside_cause(const DeviceState& state);

}  // namespace plumbline
