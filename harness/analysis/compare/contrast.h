/// How far a case × metric changed, and what its own visits and earlier runs say about its noise.
///
/// With earlier runs at the baseline's level, the candidate is compared with the median of them and
/// the baseline: a single accepted run may be a bad one, and it ages. Pure numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/judge.h"
#include "analysis/estimate/estimate.h"
#include "analysis/history/history.h"
#include "analysis/variance/other_device.h"

namespace plumbline {

/// `past`: what earlier runs say about the case; 0 degrees of freedom: nothing. Both estimates have
/// logs. Leaves unset what estimates do not contain: finding, part, direction, device.
Contrast contrast_of(const Estimate& baseline, const Estimate& candidate, const RunVariance& past,
                     bool is_time);

/// True if earlier runs of the case do not show how far runs related in this way lie apart.
bool is_apart(Sameness sameness, const RunVariance& past);

/// The rule for all contrasts where their machines are related in one way. Else the rule as it is.
/// Contrasts of other machines get an assumption of their own: cases that the same device measured
/// do not pay for others.
DecisionRule rule_for(std::vector<Contrast>& contrasts, const RunInfo& run,
                      const DecisionRule& rule);

/// Notes first which contrasts are of other machines than in the baseline, and what is assumed for
/// them. `one`: the rule for one machine; the comparison's is that of rule_for().
void note_machines(const std::vector<Contrast>& contrasts, const DecisionRule& one,
                   Comparison& comparison);

/// True if earlier runs show for every contrast how far runs differ; then the rule is unused.
bool know_runs(const std::vector<Contrast>& contrasts);

}  // namespace plumbline
