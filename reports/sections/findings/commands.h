/// Commands for a finding that can be copied and run unchanged: first those that confirm it, last
/// those that hide it.
#pragma once

#include <string>
#include <vector>

#include "reports/sections/findings/cards.h"

namespace plumbline {

struct NextStep {
  std::string purpose, command;
};

/// For slower cases: both sides in pairs, a profile, what changed, acknowledge, accept. For
/// broken cases, or a run alone: measure again, and the sanitizer. Steps are left out if something
/// is not recorded, such as the baseline's commit.
std::vector<NextStep> next_steps(const ReportModel& model, const Card& card);

}  // namespace plumbline
