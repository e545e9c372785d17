/// The second stage of a verdict where the baseline's build is not at hand: the candidate's build
/// is run again, later, and a change is one that both runs show.
///
/// Weaker than pairs, and labelled so: the baseline was measured once, and how far it was off then
/// is in both comparisons with it; nor can the environment be told from the commit. Errors of the
/// two runs therefore do not multiply, and no level can be spent twice: the two runs together must
/// pass the test that one had to pass among all cases, and the later one alone must show a change
/// that counts. Sizes are the later run's, since what was flagged was flagged for being large.
/// How often it errs: docs/evidence/simulations.md. Pure.
#pragma once

#include "analysis/confirm/confirm.h"

namespace plumbline {

/// The candidate's run with the visits of a later one behind its own.
Run with_visits_of(const Run& candidate, const Run& later);

/// What becomes of a finding that looked changed. `joint`: the same of both runs together;
/// `later_change`: of the later run against the baseline, a fraction, before shifts of the run are
/// taken off; `visits`: of the later run.
void settle(Finding& finding, const Finding& joint, double later_change, std::size_t visits);

/// Settles what is flagged. `joint`: the comparison with both runs together.
void confirm_by_rerun(Comparison& screened, const Doubts& doubts, const Comparison& joint,
                      const Run& later);

}  // namespace plumbline
