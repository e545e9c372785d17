/// Runs as an SQLite database for other programs: Grafana, DuckDB, a script.
///
/// Tables `run`, `summary`, `result`, `verdict` and `parameter`; docs/how-to/share-results.md
/// describes them. Columns have the names of the CSV files and of run.json. What is not known is
/// NULL. Not to be confused with store/index, which only Plumbline reads.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"
#include "store/index/sqlite.h"
#include "store/run/summary.h"

namespace plumbline {

class RunsDatabase {
 public:
  /// Makes a new database. Throws DatabaseError if the file cannot be written.
  explicit RunsDatabase(const std::string& path);

  /// Adds a run with its summary; the next calls add to it. `folder`: the name of its directory.
  void add_run(const RunInfo& info, const std::string& folder, std::span<const CaseSummary> rows,
               const std::string& results_hash);
  /// The rows of results.csv.
  void add_results(std::span<const ResultRow> rows);
  /// What a comparison says of the run.
  void add_verdicts(const Comparison& comparison);

  /// Makes indexes and writes everything. Nothing is kept without this.
  void finish();

 private:
  void add_parameters(const std::string& suite, const std::string& case_id);

  Database database_;
  std::int64_t run_ = 0;
  std::set<std::pair<std::string, std::string>> cases_;  // suite, case: whose parameters are there
};

}  // namespace plumbline
