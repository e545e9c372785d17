/// controls.json beside a run: what it measured of itself, small, so that later runs can add it up
/// without reading whole comparisons.
///
/// Knows the counts, not how they are come by (analysis/controls.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/self_check.h"
#include "core/run.h"

namespace plumbline {

/// Writes `check` of the run `info` into `folder`. Throws Error.
void write_controls(const SelfCheck& check, const RunInfo& info, const std::string& folder);

struct EarlierControls {
  std::vector<SelfCheck> checks;
  std::vector<std::string> notes;  // files that are not counted, and why
};

/// Of the runs in `folder`, which need not exist, but for the run at `own` ("" = all): those of the
/// same device class and meaning of the metrics as `like`. A file that cannot be read is a note.
EarlierControls read_controls(const std::string& folder, const RunInfo& like,
                              const std::string& own);

}  // namespace plumbline
