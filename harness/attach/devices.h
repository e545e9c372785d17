/// Devices as the driver describes them, where CUPTI delivers no record of them.
#pragma once

#include "attach/record_file.h"

namespace plumbline::attach {

/// Adds a line for each device that the process sees; none if the driver does not answer, as in a
/// process that is exiting. Call it from a thread of ours: CUPTI's may not call the driver.
void describe_devices(Lines& lines);

/// The line of one device. `uuid`: 16 bytes.
void describe_device(Lines& lines, int number, const char* uuid, const char* name, int units,
                     long long memory_bytes, int l2_bytes);

}  // namespace plumbline::attach
