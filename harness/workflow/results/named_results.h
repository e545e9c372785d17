/// What a command takes where it shows results, and what lies near where it was named wrongly.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// Comparisons and runs near `path`, newest first: in its folder, in folders there, and in the
/// project's folder of runs; at most five.
std::vector<std::string> results_near(const std::string& path);

/// Throws Error where `path` is neither a comparison nor a run nor a baseline: what is accepted,
/// what was found, and results_near(). Opens nothing that is one by its name.
void require_results(const std::string& path);

}  // namespace plumbline
