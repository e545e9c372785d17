/// What must hold before two runs are compared: a rule whose numbers are in range, and runs that
/// measured the same thing on like devices.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/compare/compare.h"
#include "core/run/direction.h"

namespace plumbline {

/// Throws Error that names the value out of range.
void require_rule(const DecisionRule& rule);
void require_options(const CompareOptions& options);

/// Why no case can be compared, or "".
std::string incomparable(const RunInfo& baseline, const RunInfo& candidate);

/// Whether more or less of a metric is better: as the candidate says, else as the baseline says.
std::optional<Better> direction_of(const RunInfo& baseline, const RunInfo& candidate,
                                   std::string_view metric, std::string_view unit);

/// Why it is unknown whether a change of the metric is good, or "".
std::string without_direction(const RunInfo& baseline, const RunInfo& candidate,
                              std::string_view metric, std::string_view unit);

}  // namespace plumbline
