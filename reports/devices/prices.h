/// Price against speed on the page of devices.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/devices/device_table.h"
#include "reports/template.h"

namespace plumbline {

/// Columns with a price and a mean that no other column beats: being at least as fast and as cheap,
/// and better in one. Cheapest first.
std::vector<std::size_t> price_frontier(const DeviceTable& table);

/// Data of devices/prices.html; null for fewer than two columns with a price and a mean.
PageData prices_data(const DeviceTable& table, const std::vector<std::size_t>& order);

}  // namespace plumbline
