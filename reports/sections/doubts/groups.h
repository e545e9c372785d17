/// What has no verdict, or one to be read with care, in groups: unresolved, not judged by reason,
/// unstable by what was seen, missing, new, renamed, fixed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model.h"

namespace plumbline {

struct DoubtGroup {
  Label label;         // its word names the group: "unresolved"
  std::string reason;  // shared by its rows; "" where rows are not grouped by reason
  std::string query;   // finds its rows, or little more, in the table of all cases
  std::vector<const CaseView*> views;
};

/// Every word of the page's kind (compared or alone) once at least, also with no rows: an empty
/// section is said to be empty. Groups of one word by size.
std::vector<DoubtGroup> make_doubt_groups(const ReportModel& model);

}  // namespace plumbline
