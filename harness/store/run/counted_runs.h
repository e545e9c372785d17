/// Which run directories of a folder count, so that each measurement counts once.
///
/// Unfinished runs do not count, nor do copies, nor the shards of a merged run that is there as
/// well: its results are theirs. The start time does not identify a run, since two can start in one
/// second; their results do. Everything that reads a folder of runs asks here.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// A run directory, as far as this decides.
struct RunToCount {
  std::string path, started_at;
  bool is_finished = true;
  std::vector<MergedShard> shards;            // of a merged run: their starts and results
  std::function<std::string()> results_hash;  // asked for only where others have the same start
};

struct CountedOnce {
  std::vector<std::size_t> indexes;  // of those that count, in their order
  std::vector<std::string> notes;    // on those that do not
};

/// Of copies, the first counts.
CountedOnce count_once(std::span<const RunToCount> runs);

/// The same of run directories: reads their run.json. Throws Error for one that cannot be read, and
/// for results.csv that is needed and cannot be read.
struct CountedRuns {
  std::vector<RunToCount> runs, left_out;
  std::vector<std::string> notes;
};
CountedRuns counted_runs(std::span<const std::string> directories);

/// Explains to the user why a run is left out.
std::string copy_note(const std::string& copy, const std::string& met);

}  // namespace plumbline
