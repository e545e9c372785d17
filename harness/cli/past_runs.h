/// Earlier runs for a comparison: --history DIR.
///
/// Reads; judges nothing.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "analysis/history.h"

namespace plumbline {

void add_history_flag(CLI::App& app, std::string& folder);

/// The history of the runs in `folder` but for the candidate itself. Notes are printed. Throws
/// Error where it cannot be read: a history that was named and is not there is no history of zero
/// noise.
History past_runs(const std::string& folder, const std::string& candidate);

}  // namespace plumbline
