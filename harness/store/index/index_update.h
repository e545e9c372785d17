/// A folder of runs as a history reads it, by its index.
///
/// The run directories are the truth: a run whose files changed since it was indexed is read again,
/// one that is gone is taken out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/history/history.h"

namespace plumbline {

/// What the index of a folder says of its runs.
struct IndexedFolder {
  std::vector<RunSummary> runs;    // finished, without copies; most are stored
  std::vector<std::string> notes;  // what was left out, and what is wrong with the index
  std::shared_ptr<const StoredRows> stored;
};

/// What is worth telling before it is done, such as reading hundreds of runs.
using Say = std::function<void(const std::string&)>;

/// `paths`: the run directories in `folder`, sorted. Brings the index up to date, or makes it. A
/// damaged one, or one of another version, is made anew. If it cannot be used (a read-only folder,
/// a full disk), the runs are read into a private one. Throws Error for a run that cannot be read.
IndexedFolder read_by_index(const std::string& folder, const std::vector<std::string>& paths,
                            const Say& say);

/// Removes the folder's index, if it has one.
void remove_index(const std::string& folder);

/// True if the folder has an index, or its summaries are so large that it is worth having one.
bool is_index_worthwhile(const std::string& folder, const std::vector<std::string>& paths);

}  // namespace plumbline
