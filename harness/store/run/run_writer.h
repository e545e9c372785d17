/// Writes run directories visit by visit.
///
/// Does not know how or when a case is measured; baseline.h writes baselines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/run/earlier_visits.h"
#include "core/run/run.h"
#include "store/file.h"
#include "store/run/run_parts.h"

namespace plumbline {

/// The unit of scheduling: the metrics of a case in one round by one worker process.
struct Visit {
  std::string suite, case_id;
  std::int64_t round = 0;
  std::string worker;
  bool operator==(const Visit&) const = default;
};

/// Whether a writer keeps the rows that it wrote. They take about 1.5 kB a visit: a run of days
/// must not keep them.
enum class RowsKept { all, none };

/// Writes a run directory, from one thread; a lock on results.csv excludes other processes. If it
/// is destroyed before finish(), the run stays unfinished and can be resumed.
class RunWriter {
 public:
  /// Creates `path` with run.json (unfinished) and the header of results.csv. Throws Error if
  /// `path` exists and is not an empty directory, or cannot be written.
  RunWriter(std::string path, RunInfo info, RowsKept kept = RowsKept::all);

  const std::string& path() const { return path_; }
  const RunInfo& info() const { return run_.info; }
  /// Everything written so far, without rows if none are kept; `path` is absolute, warnings tell
  /// what resume() dropped.
  const Run& run() const { return run_; }

  /// Appends the rows of one visit with one write. Throws Error if they are not one visit numbered
  /// by part and parts, or cannot be written, as on a full disk. The file then still ends with the
  /// previous visit, is valid, and the run can be resumed.
  void append_visit(std::span<const ResultRow> rows);

  /// Stores a worker in run.json, replacing its earlier record; the first worker's calibration is
  /// the run's. Throws Error if run.json cannot be written; the file then stays unchanged.
  void record_worker(const WorkerRecord& worker);

  /// Adds devices with which a resumed run goes on. Throws Error as record_worker() does.
  void record_devices(const std::vector<std::string>& uuids);

  /// Stores in run.json which code files a visit of that suite ran, by recorded paths. Throws Error
  /// for a file that changed during the run, since a run must measure one version of the code.
  void record_files(const std::string& suite, std::span<const FileRef> files);

  /// Writes summary.csv, then run.json with the time (ISO 8601 UTC) and the seal. Returns the rows
  /// of summary.csv. `on_part`: also gets the run, in parts if no rows are kept. Throws Error if
  /// that fails or results.csv does not hold what was written; the run then stays unfinished.
  std::vector<CaseSummary> finish(const std::string& finished_at, const OnPart& on_part = {});

  struct Resumed;
  /// Opens an unfinished run to continue it; no rows are kept. Removes a torn last row and the rows
  /// of an incomplete last visit from results.csv. Throws Error for a finished run and for files
  /// that read_run refuses.
  static Resumed resume(const std::string& path);

 private:
  RunWriter(std::string path, Run run, RowsKept kept);
  void open_results(bool create);
  std::string results_path() const { return path_ + "/results.csv"; }

  void for_each_own_part(const OnPart& on_part) const;

  std::string path_;
  Run run_;
  RowsKept kept_;
  OpenFile file_;                 // results.csv
  ContentHash hash_;              // of everything written into it
  std::uint64_t good_bytes_ = 0;  // of results.csv, up to the end of the last complete visit
};

struct RunWriter::Resumed {
  RunWriter writer;
  EarlierVisits visits;  // visits that need not be measured again
};

}  // namespace plumbline
