/// Variants of the same work side by side: `report --as before-after`.
///
/// What is in the table is analysis/devices/device_table.h's, how it looks reports/devices'.
#pragma once

#include <string>
#include <vector>

#include "analysis/devices/device_table.h"
#include "workflow/talk.h"

namespace plumbline {

struct BeforeAfterRequest {
  std::vector<std::string> inputs;  // runs on one device, each a variant; with an axis the parts of
                                    // one run
  std::string axis;                 // "", or that by which cases of one run are variants
  std::string reference;            // variant that the others are set beside; "" = the first
  std::string output = "report.html";  // the page
  std::string title;                   // of its window, "" = by what it shows
};

struct BeforeAfter {
  std::vector<Run> runs;  // what the table points to
  DeviceTable table;
};

/// Writes the page. Throws Error for what is no variant of the same work.
BeforeAfter before_after(const BeforeAfterRequest& request, Talk& talk);

}  // namespace plumbline
