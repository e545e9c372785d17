/// The runs of a folder as a history. Reads only summaries, so hundreds of runs take seconds.
///
/// Knows files; analysis/history/history.h interprets the series.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/history.h"

namespace plumbline {

struct HistoryFolder {
  std::vector<RunSummary> runs;
  std::vector<std::string> notes;  // what was skipped: unfinished runs, copies
};

/// The finished runs directly in `folder`; copies count once. A missing or stale summary is
/// computed again in memory. Throws Error if the folder does not exist, has no run, or one of its
/// runs cannot be read, since a history must have no gaps.
HistoryFolder read_history(const std::string& folder);

/// The summary of a run that is already in memory.
RunSummary summary_of(const Run& run);

}  // namespace plumbline
