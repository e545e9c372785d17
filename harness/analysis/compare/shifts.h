/// What many cases of a run share: how far the whole of it, its compute-bound and its memory-bound
/// part moved against the baseline, before single cases are judged (design, section 6).
///
/// Where the parts moved alike there is one movement, the whole run's. Where they did not, each
/// part that moved is told by itself, and the whole run only where cases that neither limit bounds
/// moved with a part. A part is believed only where nearly all of it moved and several
/// implementations are in it: one library's op that got slower is no clock. A part that is not
/// believed, or that is too small to tell, and did not move with the whole run is judged as it is.
/// Knows changes and their parts, neither runs nor samples.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/compare/judge.h"

namespace plumbline {

struct Shift {
  double value = 0, error = 0;  // log, and its standard error
};

struct Shifts {
  RunShifts told;
  /// By RunPart: what is taken off the times of its cases; `whole`: of cases of no other part.
  std::array<Shift, kRunPartNames.size()> of_part;
  /// What a part shares and is too little to be told. Earlier runs say what a case varies by
  /// without what their cases shared: where they do, this is taken off too.
  std::array<Shift, kRunPartNames.size()> untold;

  Shift of(const Contrast& contrast, const Finding& finding) const {
    if (finding.unit != "s") return {};
    const Shift& told_one = of_part[std::size_t(contrast.part)];
    const bool is_told = told_one.value != 0 || !(contrast.history_df > 0);
    return is_told ? told_one : untold[std::size_t(contrast.part)];
  }
};

/// Robust: medians without what lies far from them, so that a minority that really changed, all in
/// one direction, pulls none. Of times alone; bytes do not move with clocks. Intervals are of order
/// statistics (quantile_interval), of the rule's confidence.
Shifts find_shifts(const std::vector<Contrast>& contrasts, const DecisionRule& rule,
                   const std::vector<Finding>& findings);

}  // namespace plumbline
