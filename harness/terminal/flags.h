/// Flags that several commands share, with their help text.
///
/// Fills plain structs; opens no file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/setup/request.h"

namespace plumbline {

void add_suite_flags(CLI::App& app, SuiteRequest& flags);
/// Adds a flag for each field of policy_fields().
void add_policy_flags(CLI::App& app, SuiteRequest& flags);

void add_worker_flags(CLI::App& app, WorkerRequest& flags);

/// --sandbox, and what it shows and allows.
void add_sandbox_flags(CLI::App& app, WorkerRequest& flags);
/// The same without --sandbox, for commands that always use one.
void add_sandbox_limits(CLI::App& app, WorkerRequest& flags);

void add_baselines_flag(CLI::App& app, PlaceRequest& flags);
void add_runs_flag(CLI::App& app, PlaceRequest& flags);

/// A flag that may be repeated; each occurrence takes one value.
CLI::Option* add_list_flag(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& help);

void add_dry_run_flag(CLI::App& app, bool& dry_run);
inline constexpr const char* kDryRunNote = "dry run: nothing was written";

/// --metrics: one, several with commas between, or the flag several times.
void add_metrics_flag(CLI::App& app, std::vector<std::string>& metrics, const std::string& help);

/// "2%", "2 %" or "0.02" as a fraction in (0, 1). Throws Error naming the flag.
double fraction_of(std::string_view flag, const std::string& text);

/// "+8%", "-3 %" or "0.08" as a fraction other than 0, from -100 % to +1000 %. Throws Error naming
/// the flag.
double change_of(std::string_view flag, const std::string& text);

void add_run_flags(CLI::App& app, RunRequest& flags);

}  // namespace plumbline
