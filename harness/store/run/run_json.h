/// run.json: what a run is, apart from its rows.
///
/// Environment and policy come from the tables of core; nothing is known here about results.csv
/// but its size and checksum, which a finished run records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// What results.csv was when the run finished.
struct ResultsSeal {
  std::uint64_t bytes = 0;
  std::string hash;  // ContentHash
};

struct RunFile {
  RunInfo info = {};
  std::optional<ResultsSeal> results = {};  // none while unfinished, and in baselines
  // Of a baseline: its suite and its runs, the oldest first; `info` is the last.
  std::string suite = {};
  std::vector<RunInfo> accepted = {};
};

/// Text of run.json; `finished_at` is null while the run is not finished.
std::string run_json_text(const RunFile& file);

/// Text of a baseline's JSON. `runs`: the oldest first; at least one.
std::string baseline_json_text(const std::string& suite, const std::vector<const RunInfo*>& runs);

/// Reads run.json or the JSON of a baseline. Throws Error with file and JSON path for a file that
/// is missing, torn, of another program, of a newer format, or has a value of a wrong type.
RunFile read_run_json(const std::string& path);

/// Checksum of a run directory's results.csv as it is now: that of the seal, where the size is the
/// seal's, because reading all results takes long. Throws Error where they cannot be read.
std::string results_hash(const std::optional<ResultsSeal>& seal, const std::string& run_directory);

}  // namespace plumbline
