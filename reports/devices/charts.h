/// The pictures of the page of devices, as shown without scripts.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/devices/device_table.h"
#include "reports/axis.h"
#include "reports/template.h"

namespace plumbline {

/// Data of devices/models.html: the summary of each column, with a dot for each common case at its
/// ratio on a logarithmic scale; null without common cases.
PageData models_data(const DeviceTable& table, const std::vector<std::size_t>& order);

/// Data of devices/rooflines.html: a roofline for each calibrated device, with a dot for each case
/// with a known cost; null if there is none.
PageData rooflines_data(const DeviceTable& table);

// Shared by the pictures.

/// Covers all ratios that may enter means, so that no filter leaves it; logarithmic.
Axis ratio_axis(const DeviceTable& table, double from, double to);

/// A column's ratios in the common rows, in their order.
std::vector<double> common_ratios(const DeviceTable& table, std::size_t column);

/// Round ratios above a picture of width 1000; their positions are in percent.
PageData marks_data(const Axis& axis);

/// A path with a dot at each point.
std::string dots_path(const std::vector<std::pair<double, double>>& points);

}  // namespace plumbline
