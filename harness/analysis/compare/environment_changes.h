/// What differs between two runs besides their times: machine, libraries, code, options, suites.
///
/// Knows the records of two runs, but not their results.
#pragma once

#include <vector>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// Every difference worth naming, in the order of environment_fields(); then options of the policy,
/// variables of the workers, and suite files. Empty if nothing that was recorded differs.
std::vector<EnvironmentChange> environment_changes(const RunInfo& baseline,
                                                   const RunInfo& candidate);

}  // namespace plumbline
