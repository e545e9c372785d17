/// What people decided about regressions, from a folder of baselines: its ledger, and which runs
/// were accepted.
///
/// Reads the ledger and the JSON of baselines, none of their rows.
#pragma once

#include <string>

#include "analysis/history/regressions.h"

namespace plumbline {

/// Without a day: `today` is the caller's. Nothing where the folder is not there. Throws Error for
/// a file that cannot be read.
Decisions read_decisions(const std::string& baselines);

}  // namespace plumbline
