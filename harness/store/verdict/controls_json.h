/// controls.json beside a run: what it measured of itself, small, so that later runs can add it up
/// without reading whole comparisons.
///
/// Knows the counts, not how they are come by (analysis/confirm/controls.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/confirm/self_check.h"
#include "core/run/run.h"

namespace plumbline {

/// Writes `check` of the run `info` into `folder`. `results`: checksum of the results.csv that was
/// judged (run_json.h), by which a copy is known. Throws Error.
void write_controls(const SelfCheck& check, const RunInfo& info, const std::string& results,
                    const std::string& folder);

struct EarlierControls {
  std::vector<SelfCheck> checks;
  std::vector<std::string> notes;  // files that are not counted, and why
};

/// Of the runs in `folder`, which need not exist, except for the run at `own` ("" = all), whose
/// results have the checksum `own_results`: those of the same device class and meaning of the
/// metrics as `like`, the run at `own`. A copy of a run counts once, and is a note; so is a file
/// that cannot be read. Files of before there was a checksum all count.
EarlierControls read_controls(const std::string& folder, const RunInfo& like,
                              const std::string& own, const std::string& own_results);

}  // namespace plumbline
