/// Earlier runs for a comparison: --history DIR.
///
/// Reads; judges nothing.
#pragma once

#include <string>

#include "analysis/history/history.h"
#include "workflow/talk.h"

namespace plumbline {

/// The history of the runs in `folder` that came before the candidate, without both sides of the
/// comparison and copies of them. Throws Error where it cannot be read: a
/// history that was named and is not there is no history of zero noise.
History past_runs(const std::string& folder, const RunInfo& baseline, const Run& candidate,
                  Talk& talk);

}  // namespace plumbline
