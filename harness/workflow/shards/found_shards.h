/// Finds the run directories of shards under folders, and reads their run.json.
///
/// Judges nothing: merge.h and status.h say what is wrong with them.
#pragma once

#include <string>
#include <vector>

#include "schedule/shards.h"
#include "store/run/run_json.h"

namespace plumbline {

/// A run directory.
struct FoundRun {
  std::string path;  // as the user's folder names it
  RunFile file;
};

struct FoundRuns {
  std::vector<FoundRun> runs;         // sorted by path
  std::vector<std::string> unbegun;   // folders of runs that were killed before their run.json
  std::vector<std::string> mistakes;  // paths without a run, and files that cannot be read
};

/// The runs at `paths`: run directories, and folders that hold them. A directory that is named
/// twice counts once. Hidden folders are left out.
FoundRuns find_runs(const std::vector<std::string>& paths);

}  // namespace plumbline
