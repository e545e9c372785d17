/// Which cases of the two sides are measured together, and how the sides' suites differ.
///
/// Knows declared cases; nothing has been measured yet.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "schedule/pairs.h"
#include "workflow/setup/suites.h"

namespace plumbline {

/// Matches cases by suite and id, through the renames of b's suites. Cases of different revisions
/// are not paired.
struct SideCases {
  std::vector<Case> cases;  // for PairPlan::plan: those of b, then those that only a has
  std::array<std::vector<const Case*>, 2> declared;  // for PairPlan::declared
  std::array<std::vector<ResultRow>, 2> unmeasured;  // EXCLUDED and UNSUPPORTED cases, one row each
  std::map<CaseKey, std::string> unpaired;           // cases of b: why a has no case to pair with
  std::deque<Case> owned;                            // `declared` points to them
};

/// Matches the cases that both sides' flags select, of b and of a; or exactly `named`, without
/// cases that only one side has.
SideCases match_cases(const LoadedSuites& a, const LoadedSuites& b, const Selection& selection,
                      const std::set<CaseKey>* named);

/// Sentences about suites of the same name whose files differ: the lines, options of measuring and
/// thresholds. For options and thresholds, b's values apply to both sides. `names`: of the sides.
std::vector<std::string> suite_changes(const LoadedSuites& a, const LoadedSuites& b,
                                       const std::array<std::string, 2>& names);

}  // namespace plumbline
