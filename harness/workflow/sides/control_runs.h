/// Runs that a comparison measures of itself: the baseline's side beside itself.
///
/// Measures controls and finds those of earlier runs; what they say is
/// analysis/confirm/controls.h's.
#pragma once

#include <set>
#include <string>

#include "analysis/compare/comparison.h"
#include "workflow/sides/paired_run.h"

namespace plumbline {

/// Measures the baseline's side of `request` beside itself, in `request.folder`/controls, for the
/// share of the compared cases that the rule of `comparison` says, and puts the self-check of the
/// pairs into it. `planted`: of `measured` the cases that slowdowns may be planted in. Gives the
/// signal that stopped it, or 0.
int measure_controls(PairedRequest request, const PairedRun& measured,
                     const std::set<CaseKey>& planted, Comparison& comparison, Talk& talk);

/// Adds what the runs in the folder `runs` ("" = none) measured of themselves, except for the run
/// at `own`. What cannot be read is told.
void add_earlier_controls(Comparison& comparison, const std::string& runs, const std::string& own,
                          Talk& talk);

/// Adds the controls of the runs beside `folder`, and writes those of this one into it.
void keep_controls(Comparison& comparison, const std::string& folder, Talk& talk);

}  // namespace plumbline
