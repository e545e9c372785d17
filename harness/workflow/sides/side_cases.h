/// Which case of one side is measured beside which of the other, and what the sides' suites say
/// differently.
///
/// Knows declared cases; nothing was measured yet.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "schedule/pairs.h"
#include "workflow/setup/suites.h"

namespace plumbline {

/// Cases by suite and id, through the renames of b's suites; two that are of different revisions
/// are not paired.
struct SideCases {
  std::vector<Case> cases;  // what PairPlan::plan has: those of b, then those that a alone has
  std::array<std::vector<const Case*>, 2> declared;  // what PairPlan::declared has
  std::array<std::vector<ResultRow>, 2> unmeasured;  // EXCLUDED and UNSUPPORTED ones, a row each
  std::map<CaseKey, std::string> unpaired;           // of b: why a has none to measure beside
  std::deque<Case> owned;                            // what `declared` points to
};

/// Which cases: those that both sides' flags select, of b and of a; or exactly `named`, and then no
/// case of one side alone.
SideCases match_cases(const LoadedSuites& a, const LoadedSuites& b, const Selection& selection,
                      const std::set<CaseKey>* named);

/// Sentences about suites of one name whose files differ: which lines, and which options of
/// measuring and thresholds, of which b's hold for both. `names`: of the sides.
std::vector<std::string> suite_changes(const LoadedSuites& a, const LoadedSuites& b,
                                       const std::array<std::string, 2>& names);

}  // namespace plumbline
