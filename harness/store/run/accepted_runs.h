/// The runs in a baseline: of one suite and device class, from several cards and days.
///
/// The CSV has a row per case × metric × run (baseline_row.h), sorted so that `git diff` shows what
/// changed. The JSON keeps run.json of each run, and who accepted it. A run may have only some
/// cases of the suite.
#pragma once

#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

struct AcceptedRuns {
  std::string path, suite;  // path: of the CSV
  std::vector<Run> runs;    // in the order of their acceptance; at least one
};

/// Reads a baseline by the path of its CSV or JSON, or without extension. Also reads the format of
/// earlier Plumblines, with one run. Throws Error for missing or corrupt files.
AcceptedRuns read_accepted(const std::string& path);

/// Writes both files. Kernels and plans, which only explain and are not judged, are kept only of
/// each case's newest run. Throws Error.
void write_accepted(const AcceptedRuns& accepted);

/// What a candidate is compared with, and the other accepted runs.
struct Baseline {
  Run run;                  // each case from the run that counts for it
  std::vector<Run> others;  // all other rows, the oldest run first
};

/// For each case the newest run on the candidate's device counts, else the newest of all. `device`:
/// the candidate's UUIDs; "" if nothing is judged.
Baseline baseline_of(AcceptedRuns accepted, const std::string& device);

/// The same for each case of the candidate by the device that measured it. Where the candidate has
/// several devices and several runs count, the baseline's record names all their devices, as that
/// of a merged run.
Baseline baseline_of(AcceptedRuns accepted, const Run& candidate);

}  // namespace plumbline
