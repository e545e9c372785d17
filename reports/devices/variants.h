/// Variants of the same work as lines of text: a table for each case, the same in a terminal and in
/// Markdown.
#pragma once

#include <string>
#include <vector>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// The lines of one case: one for each metric, its rates, and the error of the result.
struct VariantCase {
  std::string case_id;
  std::vector<std::vector<std::string>> lines;  // name, then columns as in the header
};

/// "12.4 µs [12.3, 12.5]": with its interval over visits; an en dash if unknown.
std::string value_text(const DeviceCell& cell, const std::string& unit);

/// The first column has no name. Each variant except the reference has a second column: its factor
/// over the reference.
std::vector<std::string> variants_header(const DeviceTable& table);

/// In the order of the table.
std::vector<VariantCase> variant_cases(const DeviceTable& table);

/// Markdown: the sentence, the notes about the numbers, and a table for each case.
std::string variants_markdown(const DeviceTable& table);

}  // namespace plumbline
