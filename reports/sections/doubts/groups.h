/// Cases without a verdict, or with one to read with care, in groups: unresolved, not judged by
/// reason, unstable by observation, missing, new, renamed, fixed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model.h"

namespace plumbline {

struct DoubtGroup {
  Label label;         // its word names the group: "unresolved"
  std::string reason;  // shared by its rows; "" if rows are not grouped by reason
  std::string query;   // finds its rows, and few others, in the table of all cases
  std::vector<const CaseView*> views;
};

/// At least one group for every word of the page's kind (compared or alone), even without rows: the
/// page says that a section is empty. Groups of one word are sorted by size.
std::vector<DoubtGroup> make_doubt_groups(const ReportModel& model);

}  // namespace plumbline
