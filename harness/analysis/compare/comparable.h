/// What must hold before two runs are compared: a rule whose numbers are in range, and runs that
/// measured the same thing on like devices.
#pragma once

#include <string>

#include "analysis/compare/compare.h"

namespace plumbline {

/// Throws Error naming what is out of range.
void require_rule(const DecisionRule& rule);
void require_options(const CompareOptions& options);

/// Why nothing can be said about any case, or "".
std::string incomparable(const RunInfo& baseline, const RunInfo& candidate);

}  // namespace plumbline
