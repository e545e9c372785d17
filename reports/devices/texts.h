/// Numbers and reasons of the table of devices, the same in a terminal, in Markdown and on the
/// page.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// "device" or "variant".
std::string_view column_word(const DeviceTable& table);

/// "0.00031 of 0.001": relative error and what is allowed, an en dash where it is not known.
std::string error_text(const DeviceCell& cell);

/// "×1.52 [1.50, 1.56]", an en dash where it is not known.
std::string ratio_text(const DeviceCell& cell);

/// What a column comes to: "×1.47 [1.43, 1.51]", "reference", an en dash where it has no mean.
std::string mean_text(const DeviceTable& table, std::size_t column);

/// A ratio, or an en dash.
std::string ratio_or_dash(const std::optional<double>& ratio);

/// "3.20 USD".
std::string price_text(const DeviceTable& table, double price);

/// Columns by their mean, those without one last.
std::vector<std::size_t> fastest_first(const DeviceTable& table);

/// Cells of one reason on one device.
struct DeviceReason {
  std::string device, reason;
  std::vector<const DeviceRow*> rows;
};
/// Why cells have no ratio: by device and reason, in the order of the table.
std::vector<DeviceReason> device_reasons(const DeviceTable& table);

/// "driver 580.82.07, here 570.12", for each difference of a column's stack.
std::vector<std::string> stack_texts(const DeviceColumn& column);

/// Markdown: why cells have no ratio, "" where all have one.
std::string reasons_markdown(const DeviceTable& table);

/// Markdown: the sentence, the models, the cases, the reasons.
std::string devices_markdown(const DeviceTable& table);

}  // namespace plumbline
