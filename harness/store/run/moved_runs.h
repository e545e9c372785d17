/// Runs whose folders were moved since a comparison named them.
#pragma once

#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// Where the paths of `comparison`, read from the file `path`, lead nowhere and the same run (by
/// when it started) lies in that file's folder or beside it, or is that folder: the path there.
void find_moved_runs(Comparison& comparison, const std::string& path);

}  // namespace plumbline
