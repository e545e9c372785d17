/// Flags that several commands share, and the text that help shows for them.
///
/// Fills plain structs; opens no file.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "suite/select.h"
#include "suite/suite.h"

namespace plumbline {

/// Which cases: suites, axes, filters.
struct SuiteFlags {
  std::vector<std::string> suites;
  std::vector<std::string> set;  // axis=value
  Selection selection;
  std::map<std::string, std::string> policy;  // field -> text

  /// The cases of the suites, all of them.
  bool selects_all() const;
  /// Throws Error for a --set without '='.
  SuiteOptions options() const;
};
void add_suite_flags(CLI::App& app, SuiteFlags& flags);
/// One flag for each field of policy_fields().
void add_policy_flags(CLI::App& app, SuiteFlags& flags);

/// Where to measure, and by what.
struct WorkerFlags {
  std::string device = "auto";
  std::string worker;
  std::vector<std::string> extensions;
  std::map<std::string, std::string> variables;  // of the worker; no flag of its own
};
void add_worker_flags(CLI::App& app, WorkerFlags& flags);

/// Where things are kept.
struct PlaceFlags {
  std::string baselines, runs;
};
void add_baselines_flag(CLI::App& app, PlaceFlags& flags);
void add_runs_flag(CLI::App& app, PlaceFlags& flags);

/// A flag that may be repeated and takes one value each time.
CLI::Option* add_list_flag(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& help);

/// "2%", "2 %" or "0.02" as a fraction in (0, 1). Throws Error naming the flag.
double fraction_of(std::string_view flag, const std::string& text);

/// "+8%", "-3 %" or "0.08" as a fraction other than 0, from -100 % up to +1000 %. Throws Error
/// naming the flag.
double change_of(std::string_view flag, const std::string& text);

/// What `plumbline run` is asked.
struct RunFlags {
  SuiteFlags suite;
  WorkerFlags worker;
  PlaceFlags places;
  std::string output, shard;
  std::string sanitizer;    // "" = measure
  std::string lock_clocks;  // base, or MHz; "" = clocks are left alone
  bool resume = false;
};
void add_run_flags(CLI::App& app, RunFlags& flags);

}  // namespace plumbline
