/// Runs as an SQLite file for other programs: `export sqlite`.
#pragma once

#include <cstddef>
#include <string>

#include "workflow/talk.h"

namespace plumbline {

/// Writes the run, or the finished runs of a folder, to `output`, which is replaced as a whole.
/// Verdicts come from comparison.json in a run's directory, if there is one. Only a single run
/// brings the rows of its results.csv. Returns the number of runs. Throws Error.
std::size_t write_run_database(const std::string& input, const std::string& output, Talk& talk);

}  // namespace plumbline
