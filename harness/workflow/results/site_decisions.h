/// What people decided about regressions, from a folder of baselines: the ledger, and which runs
/// were accepted.
///
/// Reads the ledger and the JSON of baselines, but none of their rows.
#pragma once

#include <string>

#include "analysis/history/regressions.h"

namespace plumbline {

/// `today` is left empty for the caller. Empty if the folder does not exist. Throws Error for a
/// file that cannot be read.
Decisions read_decisions(const std::string& baselines);

}  // namespace plumbline
