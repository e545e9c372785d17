/// Writes a merged run: the rows of its shards' results.csv, one file after the other.
///
/// Everything is written into a hidden folder beside the run's, which becomes the run's with one
/// rename: whoever looks sees no run or a complete one. Holds the rows of one shard at a time.
/// Does not know which shards belong together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/run/case.h"
#include "core/run/run.h"
#include "store/file.h"

namespace plumbline {

/// What a shard's results.csv holds, and what is wrong with it.
struct ShardResults {
  std::string path;            // of the file
  std::string hash;            // its checksum
  std::vector<CaseKey> cases;  // with results, in the order of the file
  std::vector<CaseSummary> summaries;
  std::vector<std::string> mistakes;  // nothing is to be merged if there is one
};

/// Reads and checks the results of a finished shard. `info`: of the merged run, for its
/// calibration; suites and workers are not needed. `sealed_hash`: as the shard's run.json records
/// it, "" = unknown. Mistakes are values, so that all shards are looked at.
ShardResults read_shard_results(const std::string& run_directory, const std::string& sealed_hash,
                                const RunInfo& info);

/// True for the name of the folder that a merge writes into, and leaves behind if it is killed.
/// Whoever merges has locked the folder (flock).
bool is_merging_folder(std::string_view name);

class MergedWriter {
 public:
  /// Makes the hidden folder; what a killed merge left there is removed. Throws Error if `path`
  /// exists and is not an empty folder, if another process writes the same run, or if it cannot be
  /// written.
  explicit MergedWriter(std::string path);
  MergedWriter(const MergedWriter&) = delete;
  MergedWriter& operator=(const MergedWriter&) = delete;
  /// Removes the hidden folder unless finish() was reached.
  ~MergedWriter();

  /// Appends the rows of the file. Throws Error if it cannot be written, or if the file has changed
  /// since it was read.
  void append(ShardResults shard);

  /// Writes summary.csv and run.json, then gives the folder its name. Returns the bytes of
  /// results.csv. Throws Error; there is then no run at `path`.
  std::uint64_t finish(const RunInfo& info);

 private:
  struct Unopened {};
  MergedWriter(std::string path, Unopened) : path_(std::move(path)) {}

  std::string path_, folder_;
  OpenFile lock_, results_;
  ContentHash hash_;
  std::vector<CaseSummary> summaries_;
};

}  // namespace plumbline
