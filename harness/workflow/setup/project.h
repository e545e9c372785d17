/// Finds a command's suites, baselines and runs: plumbline.yaml, stock suites, relative paths.
///
/// Finds paths; opens only plumbline.yaml.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "store/run/locate.h"
#include "suite/project_file.h"
#include "workflow/setup/request.h"

namespace plumbline {

/// The folder of the running program.
std::string program_folder();

/// The folder of the stock suites, installed or in a build tree: <prefix>/share/plumbline/suites of
/// <prefix>/bin.
std::filesystem::path stock_folder();

/// The absolute paths of the suites that plumbline.yaml names, in the project around `folder`.
/// Throws Error if there is no such file or it names none.
std::vector<std::string> project_suites(const std::string& folder);

/// The files that suite arguments mean (no argument: project_suites() of the current folder): a
/// file; all *.yaml of a folder, sorted; or a stock suite (with or without `.yaml`). Throws Error
/// that names the nearest suite, or the stock suites, if there is no match.
std::vector<std::string> suite_files(const std::vector<std::string>& arguments);
/// The same for a command that may run in a sandbox: then suites that plumbline.yaml names must lie
/// in its tree.
std::vector<std::string> suite_files(const RunRequest& request);
/// Throws Error if one of these files, which `project_file` names, lies outside of its tree.
void require_suites_within_tree(const std::vector<std::string>& files,
                                const std::string& project_file);

struct Project {
  std::string base;    // folder of plumbline.yaml, else of the suite
  std::string worker;  // "" = not specified
  std::string device = "auto";
  std::string history;  // folder of earlier runs to learn from; "" = none
  Thresholds thresholds;
  Locations places;
};

/// The project that `file_or_folder` belongs to; for a stock suite, that of the current folder.
/// Throws Error for a mistake in plumbline.yaml, and for --history without a folder of runs.
Project find_project(const std::string& file_or_folder, const PlaceRequest& flags);
/// The same for a command that may run in a sandbox: then also throws as
/// require_project_within_tree(), and for a plumbline.yaml that is a link out of its tree.
Project find_project(const std::string& file_or_folder, const RunRequest& request);

/// In a sandbox, throws Error if plumbline.yaml, or a link, leads out of the project's tree to
/// where runs or baselines are, or to a worker, and no flag names these.
void require_project_within_tree(const Project& project, const RunRequest& request);

/// --device, else the project's.
std::string wanted_device(const WorkerRequest& flags, const Project& project);

/// How a run records its suite file: relative to its git tree if it is in one.
std::string recorded_path(const std::string& path, const std::string& tree_root);
/// The same for source files.
std::vector<FileRef> recorded_files(std::span<const FileRef> files, const std::string& tree_root);
/// The unchanged file of one of a run's suites; nothing if it is missing or its content differs.
std::optional<std::string> recorded_suite(const SuiteRef& suite, const Run& run);
/// The same with any content: it still shows which project the run belongs to.
std::optional<std::string> edited_suite(const SuiteRef& suite, const Run& run);

}  // namespace plumbline
