/// Reads runs from files: run directories (run.json + results.csv) and baselines.
///
/// A finished run is sealed: run.json has size and checksum of results.csv. An unfinished one may
/// end in a torn row.
#pragma once

#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// The two files of a run directory or of a baseline.
struct RunFiles {
  std::string json, csv;
  bool is_baseline = false;  // judged by its path

  /// The path in messages and results: the directory, or the baseline's CSV.
  std::string path() const;
};

/// Beside the JSON of a baseline: the one that shall replace it once the CSV is replaced.
inline constexpr const char* kNextJson = ".next";

/// For a path that read_run() accepts. Throws Error if the files do not exist.
RunFiles files_of(const std::string& path);

/// Reads a run directory, or a baseline (`baselines/x/quick.csv`, `.json`, or without extension).
/// For a baseline with several runs, each case comes from its newest run (accepted_runs.h reads
/// all). Warns about a torn last row of an unfinished run, which is left out, and about results
/// changed after the run finished. Throws Error for missing, corrupt or foreign files and newer
/// formats.
Run read_run(const std::string& path);

/// Reads several runs in parallel threads. Throws the Error of the first run that cannot be read.
std::vector<Run> read_runs(const std::vector<std::string>& paths);

}  // namespace plumbline
