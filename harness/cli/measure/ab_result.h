/// What `ab` and `upgrade` print and write when their pairs are measured.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/judge/verdict_files.h"
#include "workflow/judge/ab.h"

namespace plumbline {

struct AbOutput {
  VerdictFiles files;
  bool json = false;
};

/// Adds -o, which names the folder of both runs, the flags of files, and --json.
void add_ab_output(CLI::App& app, AbRequest& request, AbOutput& output);

/// The page and the files that were asked for, and the verdict. Returns the exit code.
int tell_ab(const AbResult& measured, const AbOutput& output, Talk& talk);

}  // namespace plumbline
