/// Flags of commands that measure in pairs, and of those that judge.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "workflow/sides/paired_run.h"
#include "workflow/sides/side.h"
#include "workflow/upgrade/made_environment.h"

namespace plumbline {

struct PairFlags {
  std::vector<std::size_t> looks;
  std::string margin, threshold, controls;  // fractions or percentages, as text
  bool own_placements = false;
};
void add_pair_flags(CLI::App& app, PairFlags& flags);
/// Throws Error naming the flag, and for combined options that are no valid rule.
PairOptions options_of(const PairFlags& flags);

void add_side_flags(CLI::App& app, SidesOptions& options);
/// Those about the workers of sides; part of the above.
void add_side_worker_flags(CLI::App& app, SidesOptions& options);
/// Those about how sides are built; part of the above.
void add_build_flags(CLI::App& app, SidesOptions& options);

/// How environments of Python are made that sides use. The flags are a group of that name.
inline constexpr const char* kEnvironmentFlags = "Environments of Python";
void add_environment_flags(CLI::App& app, EnvironmentRequest& request);

/// What commands that judge do with earlier runs.
inline constexpr const char* kLearns =
    "learn from the earlier runs in --runs how much each case varies";
void add_history_flag(CLI::App& app, PlaceRequest& flags, const std::string& help = kLearns);

}  // namespace plumbline
