/// The pictures of the page of devices, as they are with scripts off.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/devices/device_table.h"
#include "reports/axis.h"
#include "reports/template.h"

namespace plumbline {

/// Data of devices/models.html: what each column comes to, with a dot for each common case by its
/// ratio on a logarithmic scale; null where no case is common.
PageData models_data(const DeviceTable& table, const std::vector<std::size_t>& order);

/// Data of devices/rooflines.html: a roofline for each device that was calibrated, with a dot for
/// each case whose cost is known; null where there is none.
PageData rooflines_data(const DeviceTable& table);

// What the pictures share.

/// Over all ratios that may enter means, so that a filter leads out of it nowhere; logarithmic.
Axis ratio_axis(const DeviceTable& table, double from, double to);

/// A column's ratios in the common rows, in their order.
std::vector<double> common_ratios(const DeviceTable& table, std::size_t column);

/// Round ratios above a picture 1000 wide, whose place is in percent.
PageData marks_data(const Axis& axis);

/// A path with a dot at each point.
std::string dots_path(const std::vector<std::pair<double, double>>& points);

}  // namespace plumbline
