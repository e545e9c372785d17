/// Runs from their files: run directories (run.json + results.csv) and baselines.
///
/// A finished run is sealed: run.json holds size and checksum of results.csv. An unfinished one may
/// end in a torn row.
#pragma once

#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// Reads a run directory, or a baseline (`baselines/x/quick.csv`, `.json`, or without extension).
/// The torn last row of an unfinished run is left out, with a warning. Throws Error for everything
/// that is missing, corrupt, foreign, of a newer format, or changed since the run finished.
Run read_run(const std::string& path);

/// Several runs, read at the same time on as many threads. Throws the Error of the first that
/// cannot be read.
std::vector<Run> read_runs(const std::vector<std::string>& paths);

}  // namespace plumbline
