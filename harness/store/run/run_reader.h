/// Runs from their files: run directories (run.json + results.csv) and baselines.
///
/// A finished run is sealed: run.json holds size and checksum of results.csv. An unfinished one may
/// end in a torn row.
#pragma once

#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// The two files of a run directory or of a baseline.
struct RunFiles {
  std::string json, csv;
  bool is_baseline = false;  // by its path

  /// As messages and results name it: the directory, or the baseline's CSV.
  std::string path() const;
};

/// Of a path as read_run() takes it. Throws Error where they are not there.
RunFiles files_of(const std::string& path);

/// Reads a run directory, or a baseline (`baselines/x/quick.csv`, `.json`, or without extension).
/// Of a baseline of several runs each case is as the newest one has it (accepted_runs.h reads all).
/// The torn last row of an unfinished run is left out, with a warning. Throws Error for everything
/// that is missing, corrupt, foreign, of a newer format, or changed since the run finished.
Run read_run(const std::string& path);

/// Several runs, read at the same time on as many threads. Throws the Error of the first that
/// cannot be read.
std::vector<Run> read_runs(const std::vector<std::string>& paths);

}  // namespace plumbline
