/// Summaries of the columns of a table of devices: means over the cases that all columns have, and
/// the spread between cards of one model.
///
/// Knows only filled rows. Pure.
#pragma once

#include "analysis/devices/device_table.h"

namespace plumbline {

/// Estimates the spread between cards if a model has several with the same software stack, and
/// widens the intervals of ratios by it. Marks the common rows and fills the summaries.
///
/// Columns join in the order of the number of cases shared with the reference. A column does not
/// join, and has no mean, if fewer than half of the most shared cases would remain.
void summarise(DeviceTable& table);

}  // namespace plumbline
