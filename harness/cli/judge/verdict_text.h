/// A comparison as text: a table of what needs attention, a block for each cause, the differences,
/// and the verdict in one sentence.
///
/// Judges nothing and leaves no files.
#pragma once

#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// For people. `page`: its path, or the command that writes it; the text refers to it for details.
std::string verdict_text(const Comparison& comparison, const std::string& page);

/// Prints that `folder` has no accepted baseline for the run, and how to accept it. Returns the
/// exit code.
int tell_no_baseline(const std::string& folder, const std::string& run, const Run& candidate);

/// comparison.json as text, through a temporary file, because its writer needs a file.
std::string json_of(const Comparison& comparison);

}  // namespace plumbline
