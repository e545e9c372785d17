/// summary.csv: estimates of a run for each case × metric. It is derived from the rows and can be
/// made again at any time; histories of hundreds of runs read it instead of samples.
///
/// analysis/estimate/estimate.h defines the contents. The file records the checksum of the
/// results.csv that it was made from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/run/run.h"
#include "store/csv/column.h"
#include "store/run/run_json.h"

namespace plumbline {

/// A row of summary.csv.
struct SummaryRow : CaseSummary {
  std::string results_hash;
};
/// Its columns, in the order of the file.
std::span<const CsvColumn<SummaryRow>> summary_columns();

struct Summary {
  RunInfo info;
  std::vector<CaseSummary> rows;
  std::string path;  // of the run directory
};

/// The summary is missing or was made from other results; write_summary makes a new one.
class StaleSummary : public Error {
 public:
  using Error::Error;
};

/// Reads run.json and summary.csv of a run directory. For a finished run it checks only the size of
/// results.csv. Throws StaleSummary, or Error for corrupt or foreign files.
Summary read_summary(const std::string& run_directory);
/// The same where run.json was read: `file`.
Summary read_summary(const std::string& run_directory, const RunFile& file);

/// Writes summary.csv into the run's directory (`run.path`). Throws Error if it cannot, and for a
/// baseline, which has no summary.
void write_summary(const Run& run);
/// The same with a known checksum of results.csv.
void write_summary(const Run& run, const std::string& results_hash);
/// The same from `summaries` of all cases, as summarize() makes them.
void write_summary(const std::string& run_directory, std::span<const CaseSummary> summaries,
                   const std::string& results_hash);

}  // namespace plumbline
