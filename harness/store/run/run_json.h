/// run.json: what a run is, without its rows.
///
/// Environment and policy come from the tables of core. Of results.csv it only knows size and
/// checksum, which a finished run records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// Size and checksum of results.csv when the run finished, or of a baseline's CSV.
struct ResultsSeal {
  std::uint64_t bytes = 0;
  std::string hash;  // ContentHash
};

struct RunFile {
  RunInfo info = {};
  std::optional<ResultsSeal> results = {};  // none for unfinished runs and older baselines
  // For a baseline: its suite and its runs, the oldest first; `info` is the last one.
  std::string suite = {};
  std::vector<RunInfo> accepted = {};
};

/// Text of run.json; `finished_at` is null until the run is finished.
std::string run_json_text(const RunFile& file);

/// Text of a baseline's JSON. `runs`: the oldest first; at least one. `rows`: of its CSV.
std::string baseline_json_text(const std::string& suite, const std::vector<const RunInfo*>& runs,
                               const std::optional<ResultsSeal>& rows = {});

/// Reads run.json or the JSON of a baseline. Throws Error with file and JSON path for a file that
/// is missing, torn, from another program, of a newer format, or has a wrongly typed value.
RunFile read_run_json(const std::string& path);

/// Checksum of the current results.csv in a run directory. Uses the seal's checksum if the size
/// matches, because reading all results takes long. Throws Error if they cannot be read.
std::string results_hash(const std::optional<ResultsSeal>& seal, const std::string& run_directory);

}  // namespace plumbline
