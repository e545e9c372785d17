/// The index of a folder of runs: what their summaries hold, in one SQLite file.
///
/// Derived: it can be deleted at any time. Tables: `run`, one row a run directory; `series`, the
/// names of case × metric × unit × revision, numbered; `chunk`, the rows of one run in one block of
/// series (packed_rows.h), under the key block * 2^32 + run. Rows carry checksums. Does not look at
/// run directories: index_update.h keeps it up to date.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/history/history.h"
#include "store/index/sqlite.h"

namespace plumbline {

/// Name of the file in the folder of runs.
inline constexpr const char* kIndexFile = "plumbline-index.sqlite";

/// A run as the index holds it. Unfinished runs have no rows.
struct IndexedRun {
  std::int64_t id = 0;      // from 1
  std::string folder;       // name of its directory
  std::string stamps;       // RunStamps::text
  bool is_settled = false;  // are_settled() when it was read
  bool is_finished = false;
  std::string results_hash;         // of its results.csv
  std::vector<MergedShard> shards;  // of a merged run; only their starts and results
  PastRun run;                      // without its path
  std::optional<std::uint64_t> numbers;
};

class RunIndex : public StoredRows {
 public:
  /// Opens the file, or makes it. ":memory:": a private one. Throws DatabaseError, which
  /// is_damaged() where the file is of another version as well.
  explicit RunIndex(const std::string& path);

  /// By name of their directories. Throws DatabaseError.
  std::map<std::string, IndexedRun> runs();

  /// From here on nobody else can write. Throws DatabaseError.
  void begin_writing() { database_.run("PRAGMA cache_size = -16000; BEGIN IMMEDIATE"); }
  /// From here on this object reads one state, whatever others write. Throws DatabaseError.
  void begin_reading() { database_.run("BEGIN"); }
  void commit() { database_.run("COMMIT"); }

  /// Takes a run out, with its rows. Throws DatabaseError.
  void remove(std::int64_t run);
  /// Adds a run; its id is given here. Throws DatabaseError.
  void add(const IndexedRun& run, std::span<const CaseSummary> rows);

  void read(const std::string& case_id, const Take& take) const override;

 private:
  void create_tables();
  void load_series();
  std::int64_t series_for(const CaseSummary& row);
  void read_block_range(std::int64_t first, std::int64_t end, const Take& take,
                        const std::string& case_id) const;

  mutable Database database_;
  std::vector<SeriesName> names_;                          // by number
  std::unordered_map<std::string, std::int64_t> numbers_;  // by name_text()
};

}  // namespace plumbline
