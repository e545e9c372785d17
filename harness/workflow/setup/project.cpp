#include "workflow/setup/project.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/error.h"
#include "core/expression/expression.h"
#include "core/input_kind.h"
#include "core/run/case.h"
#include "store/file.h"
#include "suite/project_file.h"
#include "workflow/setup/git.h"
#include "workflow/setup/sandbox_view.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> suites_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".yaml" &&
        entry.path().filename() != "plumbline.yaml")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

/// The names of the stock suites: paths relative to their folder.
std::vector<std::string> stock_suites() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(stock_folder(), none))
    if (entry.path().extension() == ".yaml")
      names.push_back(entry.path().lexically_relative(stock_folder()).string());
  std::ranges::sort(names);
  return names;
}

/// The suite that `argument` may have meant, as one types it: a stock suite, or a file or folder
/// here, in suites/ or beside the named path; "" for none.
std::string suite_near(const std::string& argument) {
  std::map<std::string, std::string> typed;  // by name without folder and extension
  for (const std::string& name : stock_suites()) {
    const fs::path file(name), folder = file.parent_path();
    typed[file.stem().string()] = (folder / file.stem()).string();
    if (!folder.empty()) typed[folder.string()] = folder.string();
  }
  for (const fs::path& folder :
       {fs::path("."), fs::path("suites"), fs::path(argument).parent_path()}) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (entry.is_directory() || entry.path().extension() == ".yaml")
        typed[entry.path().stem().string()] = entry.path().lexically_normal().string();
  }
  std::vector<std::string> names;
  for (const auto& [name, path] : typed) names.push_back(name);
  const std::string near = nearest_name(fs::path(argument).stem().string(), names);
  return near.empty() ? "" : typed[near];
}

[[noreturn]] void fail_on_missing(const std::string& argument) {
  const std::string near = suite_near(argument);
  std::string text = "suite '" + argument + "' does not exist";
  if (!near.empty()) throw Error(text + "; did you mean '" + near + "'?");
  std::string stock;
  for (const std::string& name : stock_suites()) stock += (stock.empty() ? "" : ", ") + name;
  throw Error(text + (stock.empty() ? "" : ", and is none of the stock suites: " + stock));
}

[[noreturn]] void fail_on_kind(const fs::path& path) {
  struct stat found {};
  ::stat(path.c_str(), &found);
  throw Error(
      fmt::format("suite '{}': found {}; expected a file, which can be read again and is "
                  "recorded with the run, or a folder of them",
                  path.string(), kind_in_words(found.st_mode)));
}

std::vector<std::string> files_of(const std::string& argument) {
  for (const fs::path& path :
       {fs::path(argument), stock_folder() / argument, stock_folder() / (argument + ".yaml")}) {
    if (!fs::exists(path)) continue;
    if (fs::is_regular_file(path)) return {path.string()};
    if (!fs::is_directory(path)) fail_on_kind(path);
    const auto files = suites_in(path);
    if (files.empty()) throw Error("folder '" + path.string() + "' holds no suite (*.yaml)");
    return files;
  }
  fail_on_missing(argument);
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto relative = fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

/// Compares paths only: in a build tree the stock folder is a link into a project of its own.
bool is_stock(const std::string& path) {
  const fs::path relative =
      fs::absolute(path).lexically_normal().lexically_relative(stock_folder());
  return !relative.empty() && *relative.begin() != "..";
}

/// Where the file of a run's suite may be, most certain place first. A recorded path is relative to
/// a git tree; the absolute path at the time of measuring is recorded too.
std::vector<fs::path> places_of(const SuiteRef& suite, const Run& run) {
  const fs::path path(suite.path);
  if (path.is_absolute()) return {path};
  std::vector<fs::path> places;
  if (run.info.asked)
    for (const fs::path file : run.info.asked->suites)
      if (file.filename() == path.filename()) places.push_back(file);
  for (const fs::path& place : {fs::path(run.path), fs::path(".")}) {
    const fs::path folder = fs::is_directory(place) ? place : place.parent_path();
    const Tree tree = tree_of(folder.empty() ? "." : folder.string());
    if (!tree.root.empty()) places.push_back(fs::path(tree.root) / path);
  }
  places.push_back(path);
  return places;
}

/// The first run of a project has no folder of runs yet. Who asks for one by a flag means one.
std::string history_folder(const std::string& runs, bool project_learns, std::optional<bool> flag) {
  const bool is_there = fs::is_directory(runs);
  if (flag.value_or(false) && !is_there)
    throw Error("--history: found no folder '" + runs + "'; name the folder of runs with --runs");
  return flag.value_or(project_learns) && is_there ? runs : "";
}

}  // namespace

fs::path stock_folder() {
  return fs::path(program_folder()).parent_path() / "share/plumbline/suites";
}

std::string program_folder() { return fs::read_symlink("/proc/self/exe").parent_path().string(); }

std::vector<std::string> project_suites(const std::string& folder) {
  const auto file = find_upwards(folder, "plumbline.yaml");
  std::vector<std::string> suites =
      file ? read_project_file(*file).suites : std::vector<std::string>{};
  if (suites.empty())
    throw Error("SUITE is required: suite files, or folders of them" +
                (file ? "; " + *file + " names none in `suites:`"
                      : std::string("; or `suites:` in a plumbline.yaml")));
  for (std::string& suite : suites)
    suite = (fs::absolute(*file).parent_path() / suite).lexically_normal().string();
  return suites;
}

std::vector<std::string> suite_files(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return suite_files(project_suites("."));
  std::vector<std::string> files;
  for (const std::string& argument : arguments)
    for (const std::string& file : files_of(argument)) files.push_back(file);
  return files;
}

std::vector<std::string> suite_files(const RunRequest& request) {
  const auto file = request.worker.is_sandboxed && request.suite.suites.empty()
                        ? find_upwards(".", "plumbline.yaml")
                        : std::nullopt;
  if (file) require_within_tree(*file, "the project file", "put the file itself there");
  std::vector<std::string> files = suite_files(request.suite.suites);
  if (file) require_suites_within_tree(files, *file);
  return files;
}

void require_suites_within_tree(const std::vector<std::string>& files,
                                const std::string& project_file) {
  const std::string folder = fs::absolute(project_file).parent_path().string();
  const std::string root = tree_in_git(folder).root;
  const fs::path tree = fs::weakly_canonical(root.empty() ? folder : root);
  for (const std::string& file : files)
    if (!is_path_in(fs::weakly_canonical(file), tree))
      throw Error(
          fmt::format("--sandbox: {} names the suite {}, outside of its tree {}; if it is "
                      "meant, name the suite on the command line",
                      project_file, file, tree.string()));
}

Project find_project(const std::string& file_or_folder, const PlaceRequest& flags) {
  fs::path folder = fs::weakly_canonical(fs::absolute(file_or_folder));
  if (!fs::is_directory(folder)) folder = folder.parent_path();
  if (is_stock(file_or_folder)) folder = fs::current_path();
  Project project;
  Locations settings;
  bool learns = false;
  if (const auto file = find_upwards(folder.string(), "plumbline.yaml")) {
    const ProjectFile read = read_project_file(*file);
    project.base = fs::path(*file).parent_path().string();
    settings = {read.baselines, read.runs};
    if (!read.worker.empty()) project.worker = (fs::path(project.base) / read.worker).string();
    if (!read.device.empty()) project.device = read.device;
    project.thresholds = read.thresholds;
    learns = read.history;
  } else {
    project.base = folder.string();
  }
  project.places = locate({flags.baselines, flags.runs}, settings, project.base);
  project.history = history_folder(project.places.runs, learns, flags.history);
  return project;
}

Project find_project(const std::string& file_or_folder, const RunRequest& request) {
  if (!request.worker.is_sandboxed) return find_project(file_or_folder, request.places);
  fs::path folder = fs::weakly_canonical(fs::absolute(file_or_folder));
  if (is_stock(file_or_folder)) folder = fs::current_path();
  if (!fs::is_directory(folder)) folder = folder.parent_path();
  if (const auto file = find_upwards(folder.string(), "plumbline.yaml"))
    require_within_tree(*file, "the project file", "put the file itself there");
  Project project = find_project(file_or_folder, request.places);
  require_project_within_tree(project, request);
  return project;
}

void require_project_within_tree(const Project& project, const RunRequest& request) {
  if (!request.worker.is_sandboxed) return;
  const std::string root = tree_in_git(project.base).root;
  const fs::path tree = fs::weakly_canonical(root.empty() ? project.base : root);
  const auto require = [&](const std::string& place, const char* what, const char* flag) {
    const fs::path whole = fs::weakly_canonical(fs::absolute(place));
    if (is_path_in(whole, tree)) return;
    throw Error(fmt::format(
        "--sandbox: {} of the project {} would be {}, outside of its tree {}; in a tree of others "
        "plumbline.yaml, or a link, may lead anywhere: if it is meant, say {} {}",
        what, project.base, whole.string(), tree.string(), flag, place));
  };
  const bool names_worker = request.worker.worker.empty() && !std::getenv("PLUMBLINE_WORKER");
  if (request.places.runs.empty()) require(project.places.runs, "the folder of runs", "--runs");
  if (request.places.baselines.empty())
    require(project.places.baselines, "the folder of baselines", "--baselines");
  if (names_worker && !project.worker.empty()) require(project.worker, "the worker", "--worker");
}

std::string wanted_device(const WorkerRequest& flags, const Project& project) {
  return flags.device.empty() ? project.device : flags.device;
}

std::string recorded_path(const std::string& path, const std::string& tree_root) {
  const fs::path whole = fs::weakly_canonical(path);
  if (tree_root.empty() || !is_below(whole, tree_root)) return whole.string();
  return whole.lexically_relative(fs::weakly_canonical(tree_root)).string();
}

std::vector<FileRef> recorded_files(std::span<const FileRef> files, const std::string& tree_root) {
  std::vector<FileRef> recorded(files.begin(), files.end());
  for (FileRef& file : recorded) file.path = recorded_path(file.path, tree_root);
  return recorded;
}

std::optional<std::string> recorded_suite(const SuiteRef& suite, const Run& run) {
  std::error_code none;
  for (const fs::path& place : places_of(suite, run))
    if (fs::is_regular_file(place, none) &&
        stable_hash_text(read_text(place.string())) == suite.hash)
      return place.string();
  return std::nullopt;
}

std::optional<std::string> edited_suite(const SuiteRef& suite, const Run& run) {
  std::error_code none;
  for (const fs::path& place : places_of(suite, run))
    if (fs::is_regular_file(place, none)) return place.string();
  return std::nullopt;
}

}  // namespace plumbline
