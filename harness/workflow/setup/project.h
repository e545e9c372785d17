/// Where a command's suites, baselines and runs are: plumbline.yaml, stock suites, relative paths.
///
/// Finds paths; opens nothing but plumbline.yaml.
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

/// The folder of this program.
std::string program_folder();

/// The folder of the stock suites, installed or in a build tree: <prefix>/share/plumbline/suites of
/// <prefix>/bin.
std::filesystem::path stock_folder();

/// The suites that plumbline.yaml of the project around `folder` names, as whole paths. Throws
/// Error where there is none and none is named.
std::vector<std::string> project_suites(const std::string& folder);

/// The files that suite arguments mean (no argument: project_suites() of the present folder): a
/// file; all *.yaml of a folder, sorted; or a stock suite of that name (with or without `.yaml`).
/// Throws Error naming the nearest suite, or the stock suites, where it is none.
std::vector<std::string> suite_files(const std::vector<std::string>& arguments);

struct Project {
  std::string base;    // folder of plumbline.yaml, or else of the suite
  std::string worker;  // "" = not said
  std::string device = "auto";
  std::string history;  // folder of earlier runs to learn from; "" = none
  Thresholds thresholds;
  Locations places;
};

/// The project that `file_or_folder` belongs to. For a stock suite that is the present folder's.
/// Throws Error for a mistake in plumbline.yaml, and for --history where there is no such folder.
Project find_project(const std::string& file_or_folder, const PlaceRequest& flags);

/// --device, else the project's.
std::string wanted_device(const WorkerRequest& flags, const Project& project);

/// How a run names its suite file: relative to its git tree where it lies in one.
std::string recorded_path(const std::string& path, const std::string& tree_root);
/// The same of files of code.
std::vector<FileRef> recorded_files(std::span<const FileRef> files, const std::string& tree_root);
/// The file of one of a run's suites, unchanged; nothing where it is not found or its content
/// differs.
std::optional<std::string> recorded_suite(const SuiteRef& suite, const Run& run);
/// The same whatever its content is today: it still says which project the run belongs to.
std::optional<std::string> edited_suite(const SuiteRef& suite, const Run& run);

}  // namespace plumbline
