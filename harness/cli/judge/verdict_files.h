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

/// Throws Error where more than one text would go to standard output.
void require_one_output(const VerdictFiles& files, bool json);

/// Whether one of them goes to standard output, in place of the table for people.
bool takes_standard_output(const VerdictFiles& files);

/// Writes what is asked for; with `github` prints annotations on standard error and appends the
/// markdown to the file that $GITHUB_STEP_SUMMARY names. Throws Error for a file that cannot be
/// written.
void write_verdict_files(const Comparison& comparison, const VerdictFiles& files);

}  // namespace plumbline
