/// Selects exactly the cases of a finding on a command line.
#pragma once

#include <string>
#include <vector>

#include "reports/sections/findings/cards.h"

namespace plumbline {

struct Selected {
  std::vector<std::string> words;  // `--case ID`s, or `--filter PART`s that must all match
  std::string said;                // "", or if not all are named: `: 12 of its 40 cases`
};

/// Few cases by their ids; many by parts that their ids share and that no other case of the suite
/// has together. If there are no such parts, the first cases by their ids, and a text says so.
Selected selected_cases(const ReportModel& model, const Card& card);

}  // namespace plumbline
