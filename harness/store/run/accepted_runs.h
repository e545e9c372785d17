/// The runs that a baseline holds: all of one suite and device class, of several cards and days.
///
/// The CSV has a row per case × metric × run (baseline_row.h), sorted so that `git diff` shows what
/// moved; the JSON says of each run what run.json did, and who accepted it. A run may hold some of
/// the suite's cases only.
#pragma once

#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

struct AcceptedRuns {
  std::string path, suite;  // path: of the CSV
  std::vector<Run> runs;    // in the order in which they were accepted; at least one
};

/// Reads a baseline by the path of its CSV or JSON, or without extension; one of an earlier
/// Plumbline, which held one run, too. Throws Error for what is missing or corrupt.
AcceptedRuns read_accepted(const std::string& path);

/// Writes both files; older runs lose what explains and is not judged (kernels, plans). Throws
/// Error.
void write_accepted(const AcceptedRuns& accepted);

/// What a candidate is held against, and what else is known of its cases.
struct Baseline {
  Run run;                  // each case as the newest run has it that counts
  std::vector<Run> others;  // the rest, the oldest first
};

/// Of a case that runs on the candidate's device hold, the newest of these counts, else the newest
/// of all. `device`: the candidate's UUIDs; "" where nothing is judged.
Baseline baseline_of(AcceptedRuns accepted, const std::string& device);

}  // namespace plumbline
