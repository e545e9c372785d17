/// What to do about a finding, as commands that can be copied and run as they stand: what confirms
/// it first, what buries it last.
#pragma once

#include <string>
#include <vector>

#include "reports/sections/findings/cards.h"

namespace plumbline {

struct NextStep {
  std::string purpose, command;
};

/// Of what is slower: both sides in pairs, a profile, the commits between, acknowledge, accept. Of
/// what is broken, or of a run alone: measure again, and the sanitizer. Steps that need what was
/// not recorded, such as the baseline's commit, are left out.
std::vector<NextStep> next_steps(const ReportModel& model, const Card& card);

}  // namespace plumbline
