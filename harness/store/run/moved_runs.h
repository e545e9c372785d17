/// Finds runs that were moved after a comparison recorded their paths.
#pragma once

#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// Corrects paths in `comparison`, read from the file `path`, that no longer exist. Searches for
/// the run with the same start in that file's folder and beside it; the folder itself may be the
/// candidate.
void find_moved_runs(Comparison& comparison, const std::string& path);

}  // namespace plumbline
