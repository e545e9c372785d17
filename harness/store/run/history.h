/// The runs of a folder as a history: summaries only, so that hundreds of runs are read in seconds.
///
/// Knows files; what a series says is analysis/history/history.h's.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/history.h"

namespace plumbline {

struct HistoryFolder {
  std::vector<RunSummary> runs;
  std::vector<std::string> notes;  // what was passed over: runs that have not finished, copies
};

/// The finished runs directly in `folder`, each once however often it was copied. A summary that is
/// missing or stale is made again in memory. Throws Error where the folder is not there, holds no
/// run, or one of them cannot be read: a history with a hole is no history.
HistoryFolder read_history(const std::string& folder);

/// A run that has been read as its part of a history.
RunSummary summary_of(const Run& run);

}  // namespace plumbline
