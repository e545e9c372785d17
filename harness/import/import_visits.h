/// What importers share: results gathered by run and visit, and the rows that they become.
///
/// Knows no format (import_csv.cpp, import_gbench.cpp, import_nvbench.cpp).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/run/run.h"
#include "import/import.h"

namespace plumbline {

/// One metric of a case in one visit, as far as it was found.
struct ForeignMetric {
  std::string name, unit;
  std::vector<double> samples;  // in `unit`; empty: `absent` says why
  std::string absent;
  std::string better = {};  // "more" or "less"; "" = not said
};

/// A case in one visit.
struct ForeignResult {
  std::string suite, op, backend, revision = "1", case_id;
  std::int64_t round = 0, batch = 1;
  double flops = kUnknown, bytes = kUnknown;
  Status status = Status::unverified;  // where there are samples
  std::string reason;
  std::vector<std::string> flags;
  std::string place;  // where it was found, for messages
  std::vector<ForeignMetric> metrics;
};

/// Adds the samples, and the metrics, of `more` to a visit of the same case.
void merge(ForeignResult& visit, ForeignResult&& more);

/// Runs in the making.
class ForeignRuns {
 public:
  /// `files` are what the results are from, for run.json.
  ForeignRuns(std::vector<FileRef> files, Repeats repeats)
      : files_(std::move(files)), repeats_(repeats) {}

  /// Adds a result to the run of its environment. Throws Error where the case stands in that run
  /// already and repeats are refused.
  void add(const Environment& environment, ForeignResult result);

  /// The runs with rows in the order in which they were added, each with a name of its own.
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

/// The files of an import in which each is a process of its own, for run.json. Throws Error for one
/// that cannot be read, and where two hold the same bytes: no two processes read the same times.
std::vector<FileRef> files_of_processes(const std::vector<std::string>& paths);

/// What is not finite, or too large to be added up, or a time that is not above 0: what was
/// expected instead; else "".
std::string_view sample_mistake(double value, std::string_view unit);

}  // namespace plumbline
