/// The commands of plumbline: each file adds its flags to a parser and returns an action.
///
/// main.cpp connects them and turns exceptions into exit codes; no command knows another.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/exit_codes.h"

namespace plumbline {

/// Does the work after the flags are parsed and returns the exit code. `command` is the command
/// line, with `plumbline` as its first word.
using Action = std::function<int(const std::vector<std::string>& command)>;

struct Command {
  std::string_view name, summary;
  /// Adds flags and help to `app`, which must outlive the action.
  Action (*configure)(CLI::App& app);
  bool runs_program = false;    // what stands behind `--` is that program's command line, not ours
  std::string_view group = "";  // heading in help; set by all_commands()
};

Command list_command();
Command run_command();
Command capture_command();
Command attach_command();
Command profile_command();
Command submit_command();
Command compare_command();
Command check_command();
Command ab_command();
Command upgrade_command();
Command variance_command();
Command history_command();
Command devices_command();
Command fleet_command();
Command export_command();
Command import_command();
Command report_command();
Command site_command();
Command status_command();
Command gc_command();
Command redact_command();
Command bundle_command();
Command corpus_command();
Command replay_command();
Command merge_command();
Command explain_command();
Command bisect_command();
Command accept_command();
Command acknowledge_command();
Command quarantine_command();
Command doctor_command();
Command calibrate_command();
Command ops_command();
Command stats_command();
Command schema_command();
Command version_command();
Command worker_command();
Command completion_command();

/// All commands, in the order of the help.
std::vector<Command> all_commands();

}  // namespace plumbline
