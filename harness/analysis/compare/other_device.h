/// Whether two runs are of one device of their class, or of two.
#pragma once

#include <string>

#include "core/run/environment.h"

namespace plumbline {

/// By their UUIDs. Devices that nobody named may be any two of their class.
bool are_other_devices(const Environment& before, const Environment& now);

/// What is said of two such devices of one class. `one_sd`, `two_sd`: what whole runs are taken to
/// differ by on one device and on two, fractions.
std::string other_device_note(const Environment& before, const Environment& now, double one_sd,
                              double two_sd);

}  // namespace plumbline
