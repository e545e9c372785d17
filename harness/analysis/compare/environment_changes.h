/// What differs between two runs beside their times: machine, libraries, code, options, suites.
///
/// Knows the records of two runs, not their results.
#pragma once

#include <vector>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// Every difference worth naming, in the order of environment_fields(), then options of the policy,
/// then variables of the workers, then suite files. Empty where nothing that was recorded differs.
std::vector<EnvironmentChange> environment_changes(const RunInfo& baseline,
                                                   const RunInfo& candidate);

}  // namespace plumbline
