/// The runs of a folder as a history. Reads only summaries, and of large folders their index
/// (store/index), so hundreds of runs take a second.
///
/// Knows files; analysis/history/history.h interprets the series.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/history/history.h"
#include "store/run/run_json.h"

namespace plumbline {

struct HistoryFolder {
  std::vector<RunSummary> runs;
  std::vector<std::string> notes;  // what was skipped: such as unfinished runs and copies
  std::shared_ptr<const StoredRows> stored =
      {};  // the rows of stored runs; none: all are in memory
};

/// Whether the folder's index is used, and made.
enum class IndexUse {
  if_worthwhile,  // where there is one, or the summaries are large
  always,
  never,
};

/// The finished runs directly in `folder`, each measurement once (store/run/counted_runs.h). A
/// missing or stale summary is computed again in memory. `say` gets what takes seconds before it is
/// done. Throws Error if the folder does not exist, has no run, or one of its runs cannot be read,
/// since a history must have no gaps.
HistoryFolder read_history(const std::string& folder,
                           const std::function<void(const std::string&)>& say = {},
                           IndexUse use = IndexUse::if_worthwhile);

/// The history of `runs`, some of which are of `folder`. `case_id`: of that case only; "" = all.
/// `keeps_spreads`: see make_history(). If the index turns out to be damaged, it is removed and the
/// summaries are read instead.
History history_of(std::vector<RunSummary> runs, const HistoryFolder& folder,
                   const std::string& case_id = "", bool keeps_spreads = true);

/// The summary of a finished run directory; `file` is its run.json. Throws Error.
RunSummary summary_of(const std::string& run_directory, const RunFile& file);

/// The summary of a run that is already in memory.
RunSummary summary_of(const Run& run);

}  // namespace plumbline
