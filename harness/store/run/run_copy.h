/// Writes a run that is in memory, as one that was read and changed, as a run directory.
///
/// RunWriter does it; this knows where visits end.
#pragma once

#include <string>

#include "core/run/run.h"

namespace plumbline {

/// Writes the run into `path`, a new or empty folder; as finished if it is. Throws Error as
/// RunWriter does.
void write_run_copy(const Run& run, const std::string& path);

}  // namespace plumbline
