/// What is in the cache, by kind: checkouts of revisions, compiled kernels, lists of operators,
/// logs of builds, and the environments that scripts/setup made.
///
/// Only what has the name and the look of something of ours is found; the rest is nobody's to
/// remove. Removes nothing.
#pragma once

#include <string>

#include "workflow/cleaning/leftovers.h"

namespace plumbline {

/// Those that were not used for `older_than_s`. All of them can be made again in seconds or
/// minutes. `cache`: links resolved.
Leftovers cached_leftovers(const std::string& cache, double older_than_s);

/// The same of what takes long to make: Python environments with LibTorch, and what `plumbline
/// worker build` left.
Leftovers environments_in(const std::string& cache, double older_than_s);

}  // namespace plumbline
