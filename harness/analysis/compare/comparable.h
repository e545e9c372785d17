/// What must hold before two runs are compared: a rule whose numbers are in range, and runs that
/// measured the same thing on like devices.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/compare/compare.h"
#include "core/run/direction.h"

namespace plumbline {

/// Throws Error naming what is out of range.
void require_rule(const DecisionRule& rule);
void require_options(const CompareOptions& options);

/// Why nothing can be said about any case, or "".
std::string incomparable(const RunInfo& baseline, const RunInfo& candidate);

/// Which way a metric is better, as the candidate says, or else the baseline.
std::optional<Better> direction_of(const RunInfo& baseline, const RunInfo& candidate,
                                   std::string_view metric, std::string_view unit);

/// Why nobody can say whether a change of the metric is good, or "".
std::string without_direction(const RunInfo& baseline, const RunInfo& candidate,
                              std::string_view metric, std::string_view unit);

}  // namespace plumbline
