/// Each variant beside the first on the page of variants: what it wins, what it costs, and where
/// the time of its step goes.
#pragma once

#include "analysis/devices/device_table.h"
#include "reports/template.h"

namespace plumbline {

/// Data of devices/story.html: a table for each case, the first ones; null for devices.
PageData story_data(const DeviceTable& table);

/// Data of devices/steps.html: for each case, a stacked bar for each variant, of the phases of its
/// step; null if no case has phases.
PageData steps_data(const DeviceTable& table);

}  // namespace plumbline
