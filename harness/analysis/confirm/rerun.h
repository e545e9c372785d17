/// The second stage of a verdict where the baseline's build is not available. The candidate's build
/// is run again later; a change counts if both runs show it.
///
/// This is weaker than pairs, and labelled so. The baseline was measured once, so its error is in
/// both comparisons; and the environment cannot be separated from the commit. The errors of the two
/// runs are therefore not independent, and their levels do not multiply. Both runs together must
/// pass the test that one run had to pass among all cases. The later run alone must show a change
/// that counts. Sizes are those of the later run: flagged changes were selected for being large.
/// Error rates: docs/evidence/simulations.md. Pure.
#pragma once

#include "analysis/confirm/confirm.h"

namespace plumbline {

/// The candidate's run with the visits of a later run appended.
Run with_visits_of(const Run& candidate, const Run& later);

/// Decides a finding that looked changed. `joint`: the same finding from both runs together.
/// `later_change`: the later run against the baseline, a fraction, before shifts of the run are
/// removed. `visits`: number of visits of the later run.
void settle(Finding& finding, const Finding& joint, double later_change, std::size_t visits);

/// Decides all flagged cases. `joint`: the comparison with both runs together.
void confirm_by_rerun(Comparison& screened, const Doubts& doubts, const Comparison& joint,
                      const Run& later);

}  // namespace plumbline
