/// Variants of the same work side by side: `report --as before-after`.
///
/// What is in the table is analysis/device_table.h's, how the page looks reports/devices'.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// A table of each case for the terminal; writes the page to `output` where that is not "". The
/// first of `inputs`, runs on one device, is what the others are set beside. Throws Error for what
/// is no variant of the same work.
std::string before_after(const std::vector<std::string>& inputs, const std::string& output,
                         const std::string& title);

}  // namespace plumbline
