/// A comparison as commands print it: what needs attention as a table, a block for each cause, then
/// what differs, then the verdict in a sentence.
///
/// Judges nothing and writes no file that stays.
#pragma once

#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

/// For people. `page`: its path, or the command that writes it, for what has no room here.
std::string verdict_text(const Comparison& comparison, const std::string& page);

/// Says that `folder` holds no accepted baseline for the run, and how to accept it. Gives the exit
/// code.
int tell_no_baseline(const std::string& folder, const std::string& run, const Run& candidate);

/// comparison.json as text: its writer knows files.
std::string json_of(const Comparison& comparison);

}  // namespace plumbline
