/// controls.json beside a run: its self-check. It is small, so later runs can sum such files
/// without reading whole comparisons.
///
/// Knows the counts; analysis/confirm/controls.h measures them.
#pragma once

#include <string>
#include <vector>

#include "analysis/confirm/self_check.h"
#include "core/run/run.h"

namespace plumbline {

/// Writes `check` of the run `info` into `folder`. `results`: checksum of the judged results.csv
/// (run_json.h), which identifies copies. Throws Error.
void write_controls(const SelfCheck& check, const RunInfo& info, const std::string& results,
                    const std::string& folder);

struct EarlierControls {
  std::vector<SelfCheck> checks;
  std::vector<std::string> notes;  // files that are not counted, and the reason
};

/// Reads the self-checks of the runs in `folder`, which may be missing, except that of the run at
/// `own` ("" = all), with results checksum `own_results`. Only runs with the device class and
/// measurement revision of `like`, the run at `own`, count. Copies count once and give a note, as
/// do files that cannot be read. Old files without a checksum all count.
EarlierControls read_controls(const std::string& folder, const RunInfo& like,
                              const std::string& own, const std::string& own_results);

}  // namespace plumbline
