/// The common movement of many cases against the baseline: of the whole run, of its compute-bound
/// and of its memory-bound part, and of the host's times. It is removed before single cases are
/// judged (design, section 6).
///
/// If the parts moved alike, there is one movement, the whole run's. Otherwise each part that moved
/// is reported separately; the whole run only if cases that neither limit bounds moved with a part.
/// A part is believed only if nearly all of it moved and it has several implementations: one
/// library's slower op is not a clock. A part that is not believed, or moved too little to report,
/// and did not follow the whole run is judged as it is. The host's times are a part by themselves:
/// they say nothing about the others. Knows changes and their parts, but not runs or samples.
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
  /// By RunPart: the shift to remove from its cases' times; `whole`: cases of no other part.
  std::array<Shift, kRunPartNames.size()> of_part;
  /// The common movement of a part that is too small to report. The variance from earlier runs does
  /// not include common movements, so this is removed too where that variance is used. The host's
  /// is always removed: below 10 %, it says nothing about a case.
  std::array<Shift, kRunPartNames.size()> untold;

  Shift of(const Contrast& contrast, const Finding& finding) const {
    if (finding.unit != "s") return {};
    const Shift& told_one = of_part[std::size_t(contrast.part)];
    const bool is_always = contrast.part == RunPart::host || contrast.history_df > 0;
    const bool is_told = told_one.value != 0 || !is_always;
    return is_told ? told_one : untold[std::size_t(contrast.part)];
  }
};

/// Robust: medians without outliers, so that a minority that really changed in one direction has no
/// influence. Only times: bytes do not depend on clocks. Intervals are of order statistics
/// (quantile_interval), at the rule's confidence.
Shifts find_shifts(const std::vector<Contrast>& contrasts, const DecisionRule& rule,
                   const std::vector<Finding>& findings);

}  // namespace plumbline
