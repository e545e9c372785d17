/// What has no verdict, in groups: unresolved, not judged by reason, missing, new, fixed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model.h"

namespace plumbline {

struct DoubtGroup {
  std::string_view word;  // of the label: "unresolved"
  std::string reason;     // shared by its rows; "" where rows are not grouped by reason
  std::vector<const CaseView*> views;
};

/// Every word of the page's kind (compared or alone) once at least, also with no rows: an empty
/// section is said to be empty. Groups of one word by size.
std::vector<DoubtGroup> make_doubt_groups(const ReportModel& model);

}  // namespace plumbline
