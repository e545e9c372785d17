/// The table of all cases on the page of devices: a row for each case and metric.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/devices/device_table.h"
#include "reports/template.h"

namespace plumbline {

/// Data of devices/matrix.html. `order`: the columns' order.
PageData matrix_data(const DeviceTable& table, const std::vector<std::size_t>& order);

}  // namespace plumbline
