/// Variants of the same work as lines of text: a table for each case, the same in a terminal and in
/// Markdown.
#pragma once

#include <string>
#include <vector>

#include "analysis/devices/device_table.h"

namespace plumbline {

/// What is told of one case: a line for each metric, its rates, and the error of the result.
struct VariantCase {
  std::string case_id;
  std::vector<std::vector<std::string>> lines;  // what it is, then as the header
};

/// The first column of a line has no name; a variant that is not the reference has a second column,
/// the factor won over it.
std::vector<std::string> variants_header(const DeviceTable& table);

/// In the order of the table.
std::vector<VariantCase> variant_cases(const DeviceTable& table);

/// Markdown: the sentence, what has to be known of the numbers, and a table for each case.
std::string variants_markdown(const DeviceTable& table);

}  // namespace plumbline
