/// How a command line names exactly the cases of a finding.
#pragma once

#include <string>
#include <vector>

#include "reports/sections/findings/cards.h"

namespace plumbline {

struct Selected {
  std::vector<std::string> words;  // `--case ID` each, or `--filter PART` that must all hold
  std::string said;                // "", or where they are some: `: 12 of its 40 cases`
};

/// Few cases by their ids; many by parts that their ids share and that no other case of the suite
/// has all of. Where there are no such parts, the first of them by their ids, and said so.
Selected selected_cases(const ReportModel& model, const Card& card);

}  // namespace plumbline
