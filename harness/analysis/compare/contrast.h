/// What a case × metric changed by, and what its own visits and earlier runs say of its noise.
///
/// With earlier runs at the baseline's level, the candidate is held against the median of them and
/// the baseline: one accepted run may have been a bad one, and ages. Pure numbers.
#pragma once

#include "analysis/compare/judge.h"
#include "analysis/estimate/estimate.h"
#include "analysis/history/history.h"
#include "analysis/variance/other_device.h"

namespace plumbline {

/// `past`: what earlier runs say of the case; 0 degrees of freedom: nothing. Both estimates have
/// logs. What is not of the estimates is left as it is: finding, part, direction, device.
Contrast contrast_of(const Estimate& baseline, const Estimate& candidate, const RunVariance& past,
                     bool is_time);

/// Whether earlier runs of the case leave open how far runs so related lie apart.
bool is_apart(Sameness sameness, const RunVariance& past);

/// Whether earlier runs say of all of them what whole runs differ by, so that the rule says
/// nothing.
bool know_runs(const std::vector<Contrast>& contrasts);

}  // namespace plumbline
