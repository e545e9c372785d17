/// Words and numbers of the table of devices, the same in a terminal, in Markdown and on the page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// "NVIDIA GB300 does the same work 2.3 times as fast as NVIDIA H200, …": the first line.
std::string devices_sentence(const DeviceTable& table);

/// What a reader has to know of the numbers: single values, prices, calibration.
std::vector<std::string> devices_caveats(const DeviceTable& table);

/// "device" or "variant".
std::string_view column_word(const DeviceTable& table);

/// "0.00031 of 0.001": relative error and what is allowed, an en dash where it is not known.
std::string error_text(const DeviceCell& cell);

/// "[×1.50, ×1.56]", "" where there is no interval.
std::string ratio_interval_text(const DeviceCell& cell);

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
