/// comparison.json: the result of comparing two runs, for reports, CI and other programs.
///
/// Every field of Comparison, under its own name; `verdict` is a word of kVerdictNames. Paths are
/// absolute; runs that were moved together with the file are found beside it (moved_runs.h).
#pragma once

#include <optional>
#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// Replaces the file at `path`. Throws Error.
void write_comparison(const Comparison& comparison, const std::string& path);

/// Throws Error with file and JSON path for a file that is missing, torn, from another program, of
/// a newer format, or has a wrongly typed value.
Comparison read_comparison(const std::string& path);

/// The comparison at `path`: a file, or the folder of `ab` that holds it; nothing for other files
/// and for folders of runs. Throws Error as read_comparison does.
std::optional<Comparison> find_comparison(const std::string& path);

}  // namespace plumbline
