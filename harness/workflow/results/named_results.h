/// Checks the path of results that a command shows, and suggests others if it is wrong.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// Comparisons and runs near `path`, newest first: in its folder, in folders there, and in the
/// project's folder of runs; at most five.
std::vector<std::string> results_near(const std::string& path);

/// Throws Error if `path` is no comparison, run or baseline. The error says what is accepted, what
/// was found, and results_near(). Only reads a whole file if name and beginning do not identify it.
void require_results(const std::string& path);

}  // namespace plumbline
