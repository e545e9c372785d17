/// What the columns of a table of devices come to: means over the cases that all have, and what
/// cards of one model differ by.
///
/// Knows filled rows alone. Pure.
#pragma once

#include "analysis/devices/device_table.h"

namespace plumbline {

/// Learns what cards differ by, if a model has several of one stack, and widens the intervals of
/// ratios by it; marks the common rows and fills the summaries.
///
/// Columns join in the order of how many cases they share with the reference; one that would leave
/// fewer than half of the most that any shares does not join, and has no mean.
void summarise(DeviceTable& table);

}  // namespace plumbline
