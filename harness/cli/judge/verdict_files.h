/// Files with a verdict for other programs: flags and writing.
///
/// reports/exports defines the formats.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "analysis/compare/comparison.h"

namespace plumbline {

struct VerdictFiles {
  std::string markdown, junit, sarif;  // "" = not requested
  bool github = false;
};
void add_verdict_files(CLI::App& app, VerdictFiles& files);

/// Writes the requested files. With `github`, prints annotations on standard error and appends the
/// markdown to the file in $GITHUB_STEP_SUMMARY. Throws Error for a file that cannot be written.
void write_verdict_files(const Comparison& comparison, const VerdictFiles& files);

}  // namespace plumbline
