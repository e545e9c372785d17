/// summary.csv: what a run says about each case × metric, derived from its rows and made again at
/// any time, so that history over hundreds of runs need not read their samples.
///
/// What a summary says is analysis/estimate/estimate.h's; here it is a file that knows the checksum
/// of the results.csv it was made from.
#pragma once

#include <string>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/run/run.h"

namespace plumbline {

struct Summary {
  RunInfo info;
  std::vector<CaseSummary> rows;
  std::string path;  // of the run directory
};

/// The summary is missing or was made from other results; write_summary makes it again.
class StaleSummary : public Error {
 public:
  using Error::Error;
};

/// Reads run.json and summary.csv of a run directory, and of results.csv no more than its size
/// where the run is finished. Throws StaleSummary, or Error for what is corrupt or foreign.
Summary read_summary(const std::string& run_directory);

/// Writes summary.csv into the run's directory (`run.path`). Throws Error where it cannot, and for
/// a baseline, which has none.
void write_summary(const Run& run);
/// The same where the checksum of results.csv is known.
void write_summary(const Run& run, const std::string& results_hash);

}  // namespace plumbline
