/// Run directories, written visit by visit.
///
/// Knows nothing of how or when a case is measured; baselines are written by baseline.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "store/file.h"

namespace plumbline {

/// What a scheduler measures at a time: the metrics of a case in one round by one worker process.
struct Visit {
  std::string suite, case_id;
  std::int64_t round = 0;
  std::string worker;
  bool operator==(const Visit&) const = default;
};

/// Writes a run directory. One process at a time (a lock on results.csv), one thread at a time.
/// When it is destroyed before finish(), the run stays unfinished and can be resumed.
class RunWriter {
 public:
  /// Creates `path` with run.json (unfinished) and the header of results.csv. Throws Error where
  /// `path` exists and is no empty directory, or cannot be written.
  RunWriter(std::string path, RunInfo info);

  const std::string& path() const { return path_; }
  const RunInfo& info() const { return run_.info; }
  /// What was written so far; `path` is whole, warnings say what resume() dropped.
  const Run& run() const { return run_; }

  /// Appends the rows of one visit with one write. Throws Error where they are not the rows
  /// of one visit, numbered (part, parts), or cannot be written, as on a full disk: the
  /// file then ends with the visit before, is valid, and the run can be resumed.
  void append_visit(std::span<const ResultRow> rows);

  /// Keeps a worker in run.json, in place of what was kept of it before; the first one's
  /// calibration is the run's. Throws Error where run.json cannot be written; it is then as it was.
  void record_worker(const WorkerRecord& worker);

  /// Keeps in run.json which files of code a visit of that suite ran, by recorded paths. Throws
  /// Error for a file that is another now than when the run recorded it: no run is of two codes.
  void record_files(const std::string& suite, std::span<const FileRef> files);

  /// Writes summary.csv, then run.json with the time (ISO 8601 UTC) and the seal. Throws Error
  /// where that fails, and where results.csv does not hold what was written; the run is then still
  /// unfinished.
  void finish(const std::string& finished_at);

  struct Resumed;
  /// Opens an unfinished run to go on with it: drops a torn last row and the rows of an incomplete
  /// last visit from results.csv. Throws Error for a finished run and for what read_run refuses.
  static Resumed resume(const std::string& path);

 private:
  RunWriter(std::string path, Run run);
  void open_results(bool create);
  std::string results_path() const { return path_ + "/results.csv"; }

  std::string path_;
  Run run_;
  OpenFile file_;                 // results.csv
  ContentHash hash_;              // of what was written into it
  std::uint64_t good_bytes_ = 0;  // of results.csv, up to the end of the last whole visit
};

struct RunWriter::Resumed {
  RunWriter writer;           // its run() has the rows of the whole visits
  std::vector<Visit> visits;  // those that need not be measured again
};

}  // namespace plumbline
