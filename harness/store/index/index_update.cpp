#include "store/index/index_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include "core/parallel.h"
#include "store/index/history.h"
#include "store/index/run_index.h"
#include "store/index/run_stamps.h"
#include "store/run/counted_runs.h"
#include "store/run/run_json.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Reading less takes a tenth of a second, and small folders stay as they are.
constexpr std::uint64_t kWorthwhileBytes = 8'000'000;
/// Reading more takes seconds: that is said before.
constexpr std::uint64_t kToldBytes = 100'000'000;

struct FoundRun {
  std::string path, folder;
  RunStamps stamps;
};

/// A run as it was just read.
struct ReadRun {
  IndexedRun indexed;
  RunSummary summary;  // with its rows
};

std::vector<FoundRun> found_runs(const std::vector<std::string>& paths) {
  std::vector<FoundRun> found;
  for (const std::string& path : paths)
    found.push_back({path, fs::path(path).filename().string(), stamps_of(path)});
  return found;
}

ReadRun read(const FoundRun& found) {
  ReadRun read;
  const std::int64_t began_ns = now_ns();
  const RunFile file = read_run_json(found.path + "/run.json");
  read.indexed.folder = found.folder;
  read.indexed.stamps = found.stamps.text;
  read.indexed.is_finished = !file.info.finished_at.empty();
  if (read.indexed.is_finished) {
    read.summary = summary_of(found.path, file);
    read.indexed.results_hash = results_hash(file.results, found.path);
    read.indexed.run = read.summary.run;
    read.indexed.shards = file.info.shards;
    read.indexed.numbers = numbers_of(read.summary.rows);
  }
  // A file that changed while it was read is read again next time.
  read.indexed.is_settled =
      are_settled(found.stamps, began_ns) && stamps_of(found.path).text == found.stamps.text;
  return read;
}

using Known = std::map<std::string, IndexedRun>;

bool is_known(const Known& known, const FoundRun& found) {
  const auto place = known.find(found.folder);
  return place != known.end() && place->second.is_settled &&
         place->second.stamps == found.stamps.text;
}

std::vector<FoundRun> unknown_of(const Known& known, const std::vector<FoundRun>& found) {
  std::vector<FoundRun> unknown;
  for (const FoundRun& run : found)
    if (!is_known(known, run)) unknown.push_back(run);
  return unknown;
}

std::vector<std::int64_t> gone_of(const Known& known, const std::vector<FoundRun>& found) {
  std::vector<std::int64_t> gone;
  for (const auto& [folder, run] : known)
    if (!std::ranges::binary_search(found, folder, {}, &FoundRun::folder)) gone.push_back(run.id);
  return gone;
}

/// Reads the runs, a few at once, and adds them.
void add_runs(RunIndex& index, const Known& known, const std::vector<FoundRun>& unknown) {
  const std::size_t batch = 2 * std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t from = 0; from < unknown.size(); from += batch) {
    std::vector<ReadRun> runs(std::min(batch, unknown.size() - from));
    for_each_index(runs.size(), [&](std::size_t i) { runs[i] = read(unknown[from + i]); });
    for (const ReadRun& run : runs) {
      if (const auto place = known.find(run.indexed.folder); place != known.end())
        index.remove(place->second.id);
      index.add(run.indexed, run.summary.rows);
    }
  }
}

/// Throws DatabaseError if the index cannot be used, and Error for a run that cannot be read.
void update(RunIndex& index, const std::vector<FoundRun>& found, const Say& say,
            const std::string& path) {
  Known known = index.runs();
  const std::vector<FoundRun> before = unknown_of(known, found);
  if (before.empty() && gone_of(known, found).empty()) return;
  std::uint64_t bytes = 0;
  for (const FoundRun& run : before) bytes += run.stamps.read_bytes;
  if (bytes >= kToldBytes && say)
    say(fmt::format("reading {} runs ({} MB) into {}, from which later commands read them",
                    before.size(), bytes / 1'000'000, path));
  index.begin_writing();
  known = index.runs();  // another process may have written meanwhile
  for (const std::int64_t run : gone_of(known, found)) index.remove(run);
  try {
    add_runs(index, known, unknown_of(known, found));
  } catch (const DatabaseError&) {
    throw;
  } catch (const Error&) {
    index.commit();  // the runs before the one that cannot be read
    throw;
  }
  index.commit();
}

RunToCount to_count(const IndexedRun& run, const std::string& path) {
  return {path, run.run.started_at, run.is_finished, run.shards,
          [hash = run.results_hash] { return hash; }};
}

/// What the runs are. A run that changed since update() is read from its files.
void list_runs(RunIndex& index, const std::vector<FoundRun>& found, IndexedFolder& folder) {
  index.begin_reading();
  const Known known = index.runs();
  std::vector<RunToCount> runs;
  std::vector<RunSummary> summaries;
  for (const FoundRun& run : found) {
    const auto place = known.find(run.folder);
    if (place != known.end() && place->second.stamps == run.stamps.text) {
      const IndexedRun& indexed = place->second;
      runs.push_back(to_count(indexed, run.path));
      summaries.push_back({indexed.run, {}, indexed.id, indexed.numbers});
      summaries.back().run.path = run.path;
    } else {
      ReadRun again = read(run);
      runs.push_back(to_count(again.indexed, run.path));
      summaries.push_back(std::move(again.summary));
    }
  }
  CountedOnce once = count_once(runs);
  folder.notes = std::move(once.notes);
  for (const std::size_t i : once.indexes) folder.runs.push_back(std::move(summaries[i]));
}

IndexedFolder read_with(const std::string& path, const std::vector<FoundRun>& found,
                        const Say& say) {
  const auto index = std::make_shared<RunIndex>(path);
  update(*index, found, say, path);
  IndexedFolder folder;
  list_runs(*index, found, folder);
  folder.stored = index;
  return folder;
}

}  // namespace

void remove_index(const std::string& folder) {
  std::error_code ignored;
  for (const char* end : {"", "-journal"})
    fs::remove((fs::path(folder) / kIndexFile).string() + end, ignored);
}

bool is_index_worthwhile(const std::string& folder, const std::vector<std::string>& paths) {
  if (fs::exists(fs::path(folder) / kIndexFile)) return true;
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) bytes += stamps_of(path).read_bytes;
  return bytes >= kWorthwhileBytes;
}

IndexedFolder read_by_index(const std::string& folder, const std::vector<std::string>& paths,
                            const Say& say) {
  const std::string path = (fs::path(folder) / kIndexFile).string();
  const std::vector<FoundRun> found = found_runs(paths);
  std::string reason;
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      return read_with(path, found, say);
    } catch (const DatabaseError& error) {
      reason = error.what();
      if (!error.is_damaged() || attempt > 0) break;
      if (say) say(fmt::format("{} is made anew: {}", path, reason));
      remove_index(folder);
    }
  }
  IndexedFolder read = read_with(":memory:", found, {});
  read.notes.insert(read.notes.begin(), fmt::format("the index {} cannot be used ({}): the "
                                                    "summaries of all runs were read",
                                                    path, reason));
  return read;
}

}  // namespace plumbline
