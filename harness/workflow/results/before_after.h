/// Variants of the same work side by side: `report --as before-after`.
///
/// analysis/devices/device_table.h makes the table; reports/devices shows it.
#pragma once

#include <string>
#include <vector>

#include "analysis/devices/device_table.h"
#include "workflow/talk.h"

namespace plumbline {

struct BeforeAfterRequest {
  std::vector<std::string> inputs;  // variants, runs on one device; with an axis: parts of one run
  std::string axis;                 // "", or the axis whose values are the variants within one run
  std::string reference;            // variant that the others are compared with; "" = the first
  std::string output = "report.html";  // the page
  std::string title;                   // title of the window, "" = by content
};

struct BeforeAfter {
  std::vector<Run> runs;  // the table points to them
  DeviceTable table;
};

/// Writes the page. Throws Error for runs that are not variants of the same work.
BeforeAfter before_after(const BeforeAfterRequest& request, Talk& talk);

}  // namespace plumbline
