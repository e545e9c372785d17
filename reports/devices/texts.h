/// Numbers and reasons of the table of devices: the same text in a terminal, in Markdown and on the
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

/// "0.00031 of 0.001": relative error and tolerance; an en dash if unknown.
std::string error_text(const DeviceCell& cell);

/// "×1.52 [1.50, 1.56]"; an en dash if unknown.
std::string ratio_text(const DeviceCell& cell);

/// The mean of a column: "×1.47 [1.43, 1.51]", "reference", or an en dash if it has no mean.
std::string mean_text(const DeviceTable& table, std::size_t column);

/// A ratio, or an en dash.
std::string ratio_or_dash(const std::optional<double>& ratio);

/// "3.20 USD".
std::string price_text(const DeviceTable& table, double price);

/// Columns by their mean, best first; those without a mean last.
std::vector<std::size_t> fastest_first(const DeviceTable& table);

/// Cells of one device with the same reason.
struct DeviceReason {
  std::string device, reason;
  std::vector<const DeviceRow*> rows;
};
/// Why cells have no ratio: by device and reason, in the order of the table.
std::vector<DeviceReason> device_reasons(const DeviceTable& table);

/// "driver 580.82.07, here 570.12", for each difference of a column's stack.
std::vector<std::string> stack_texts(const DeviceColumn& column);

/// Markdown: why cells have no ratio; "" if all have one.
std::string reasons_markdown(const DeviceTable& table);

/// Markdown: the sentence, the models, the cases, the reasons.
std::string devices_markdown(const DeviceTable& table);

}  // namespace plumbline
