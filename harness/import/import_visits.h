/// Code that importers share: results collected by run and visit, and converted to rows.
///
/// Knows no format (import_table.cpp, import_gbench.cpp, import_nvbench.cpp).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/run/run.h"
#include "import/import.h"

namespace plumbline {

/// One metric of a case in one visit, as imported.
struct ForeignMetric {
  std::string name, unit;
  std::vector<double> samples;  // in `unit`; empty: `absent` has the reason
  std::string absent;
  std::string better = {};  // "more" or "less"; "" = unknown
};

/// A case in one visit.
struct ForeignResult {
  std::string suite, op, backend, revision = "1", case_id;
  std::int64_t round = 0, batch = 1;
  double flops = kUnknown, bytes = kUnknown;
  Status status = Status::unverified;  // if there are samples
  std::string reason;
  std::vector<std::string> flags;
  std::string place;  // its place in the file, for messages
  std::vector<ForeignMetric> metrics;
};

/// Adds the samples and metrics of `more` to a visit of the same case.
void merge(ForeignResult& visit, ForeignResult&& more);

/// Collects results into runs.
class ForeignRuns {
 public:
  /// `files`: the imported files, for run.json.
  ForeignRuns(std::vector<FileRef> files, Repeats repeats)
      : files_(std::move(files)), repeats_(repeats) {}

  /// Adds a result to the run of its environment. Throws Error if that run already has the case and
  /// repeats are refused.
  void add(const Environment& environment, ForeignResult result);

  /// The runs, rows in the order in which they were added, each with a unique name.
  std::vector<Run> take();

 private:
  struct Making {
    Environment environment;
    std::vector<ForeignResult> visits;
    std::map<std::pair<std::string, std::string>, std::size_t> last;  // suite, case -> visit
  };
  Making& run_of(const Environment& environment);

  std::vector<FileRef> files_;
  Repeats repeats_;
  std::vector<Making> runs_;
};

/// Files that are one process each, for run.json. Throws Error for an unreadable file, and for two
/// files with equal bytes: two processes never measure exactly the same times.
std::vector<FileRef> files_of_processes(const std::vector<std::string>& paths);

/// What was expected instead of an invalid sample (not finite, too large, negative, or a time of
/// 0); "" if the sample is valid.
std::string_view sample_mistake(double value, std::string_view unit);

}  // namespace plumbline
