#include "workflow/sides/side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "store/file.h"
#include "store/run/locate.h"
#include "suite/project_file.h"
#include "workflow/setup/git.h"
#include "workflow/setup/project.h"
#include "workflow/setup/sandbox_view.h"
#include "workflow/sides/side_build.h"
#include "workflow/sides/side_libraries.h"
#include "workflow/sides/side_place.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// plumbline.yaml of a side: in its folder or above, within its tree.
std::optional<std::string> project_file_of(const Place& place) {
  for (fs::path folder = place.folder; is_in(folder.string(), place.root);
       folder = folder.parent_path()) {
    const fs::path file = folder / "plumbline.yaml";
    if (fs::is_regular_file(file)) return file.string();
    if (folder.string() == place.root) break;
  }
  return std::nullopt;
}

struct SideProject {
  std::string folder;  // of plumbline.yaml; "" = there is none
  ProjectFile file;
};

/// `build`: the command of --build, which replaces that of the file; "": there is none.
SideProject project_of(const Place& place, const std::string& build, bool is_sandboxed) {
  SideProject project;
  const auto file = project_file_of(place);
  if (file && is_sandboxed)
    require_within_tree(*file, "the project file", "put the file itself there");
  if (file) project = {fs::path(*file).parent_path().string(), read_project_file(*file)};
  if (build.empty()) return project;
  project.file.build = build;
  if (project.folder.empty()) project.folder = place.root;
  return project;
}

/// What a build in a sandbox must leave alone: earlier results, and where they are. Also the usual
/// places if the project names others: a script may have its own there.
std::vector<std::string> kept_of(const Place& place, const SideProject& project) {
  std::vector<std::string> kept{(fs::path(project.folder) / "plumbline.yaml").string()};
  for (const std::string& name :
       {project.file.runs, project.file.baselines, std::string("runs"), std::string("baselines")})
    for (const std::string& folder : {project.folder, place.root})
      if (!name.empty()) kept.push_back((fs::path(folder) / name).string());
  return kept;
}

/// What both sides' builds get.
struct BuildFlags {
  const WorkerRequest& worker;
  std::vector<std::string> pythons;  // of both sides
};

int build_folder(const Place& place, const SideProject& project, const BuildFlags& flags,
                 Talk& talk) {
  if (project.file.build.empty()) return 0;
  return run_build(
      {.who = place.name,
       .command = project.file.build,
       .folder = project.folder,
       .log = build_log_of(project.folder),
       .sandbox = build_sandbox(flags.worker, place.root, kept_of(place, project), flags.pythons)},
      talk);
}

/// A revision whose project does not yet say how to build it is built like the other side.
RevisionBuild build_of(const Place& place, const SideProject& own, const SideProject& other,
                       const std::string& other_root, Talk& talk) {
  if (!own.file.build.empty() || other.file.build.empty()) return {own.folder, own.file.build};
  const fs::path folder =
      fs::path(place.root) / fs::path(other.folder).lexically_relative(other_root);
  if (!fs::is_directory(folder)) return {};
  talk.note(place.name + " does not say how it is built; it is built as the other side");
  return {folder.lexically_normal().string(), other.file.build};
}

/// Builds side `i` of a and b. Returns the signal that stopped it, or 0.
int build_side(std::array<Place, 2>& places, const std::array<SideProject, 2>& projects,
               std::size_t i, const BuildFlags& flags, Talk& talk) {
  Place& place = places[i];
  if (!place.is_revision) return build_folder(place, projects[i], flags, talk);
  RevisionBuild build = build_of(place, projects[i], projects[1 - i], places[1 - i].root, talk);
  build.sandbox =
      build_sandbox(flags.worker, place.root, kept_of(place, projects[i]), flags.pythons);
  return build_revision(place, build, talk);
}

/// The name of a typed path in each side's folder; nothing if neither side has it. `places`: a, b.
std::optional<std::string> name_in_sides(const std::string& typed,
                                         const std::array<Place, 2>& places) {
  std::error_code none;
  if (const std::string path = whole_path(typed); fs::exists(path, none)) {
    for (const bool by_root : {false, true})
      for (const std::size_t i : {1, 0})
        if (is_in(path, by_root ? places[i].root : places[i].folder))
          return fs::path(path).lexically_relative(places[i].folder).string();
  }
  if (fs::path(typed).is_absolute()) return std::nullopt;
  for (const Place& place : places)
    if (fs::exists(fs::path(place.folder) / typed, none)) return typed;
  return std::nullopt;
}

/// The typed path in side `i`; nothing if neither side has the file. A path in the tree of a named
/// revision is read at the same place of the revision's checkout.
std::optional<std::string> path_in_side(const std::string& typed,
                                        const std::array<Place, 2>& places, std::size_t i) {
  const Place& place = places[i];
  const std::string path = whole_path(typed);
  if (place.is_revision && fs::exists(path) && is_in(path, place.origin))
    return (fs::path(place.root) / fs::path(path).lexically_relative(place.origin)).string();
  const auto name = name_in_sides(typed, places);
  if (!name) return std::nullopt;
  return (fs::path(place.folder) / *name).lexically_normal().string();
}

/// Takes the suites that each side's plumbline.yaml names; false if one names none.
bool take_own_suites(const std::array<SideProject, 2>& projects, bool is_sandboxed, Sides& found) {
  if (projects[0].file.suites.empty() || projects[1].file.suites.empty()) return false;
  for (std::size_t i = 0; i < projects.size(); ++i)
    for (const std::string& suite : projects[i].file.suites) {
      const auto files =
          suite_files({(fs::path(projects[i].folder) / suite).lexically_normal().string()});
      if (is_sandboxed)
        require_suites_within_tree(files,
                                   (fs::path(projects[i].folder) / "plumbline.yaml").string());
      std::vector<std::string>& suites = found.sides[i].suites;
      suites.insert(suites.end(), files.begin(), files.end());
    }
  return true;
}

void find_suites(const std::vector<std::string>& typed, const std::array<Place, 2>& places,
                 Sides& found) {
  for (const std::string& suite : typed) {
    const std::array paths{path_in_side(suite, places, 0), path_in_side(suite, places, 1)};
    if (!paths[0] && !paths[1]) {
      const auto files = suite_files({suite});  // throws if there is none
      for (Side& side : found.sides)
        side.suites.insert(side.suites.end(), files.begin(), files.end());
      found.notes.push_back(files.front() +
                            " lies in neither side: both read it, and what it names");
      continue;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      Side& side = found.sides[i];
      if (paths[i] && fs::exists(*paths[i])) {
        const auto files = suite_files({*paths[i]});
        side.suites.insert(side.suites.end(), files.begin(), files.end());
      } else {
        found.notes.push_back(
            fmt::format("{} has no {}: its cases are {}; if it was moved, have `suites:` of both "
                        "plumbline.yaml name it, and no SUITE here",
                        side.name, paths[i].value_or(suite), i == 0 ? "NEW" : "MISSING"));
      }
    }
  }
}

/// The extensions of one side, at the places that find_suites() would take.
std::vector<std::string> extensions_of(const std::vector<std::string>& typed,
                                       const std::array<Place, 2>& places, std::size_t i) {
  std::vector<std::string> paths;
  for (const std::string& extension : typed) {
    const std::string path = path_in_side(extension, places, i).value_or(extension);
    if (!fs::is_regular_file(path))
      throw Error(fmt::format("--extension {}: {} has no {}", extension, places[i].name, path));
    paths.push_back(whole_path(path));
  }
  return paths;
}

std::string own_worker(const Place& place, const SideProject& project, const SideOptions& flags) {
  if (!flags.worker.empty()) return flags.worker;
  if (!place.worker.empty()) return place.worker;
  if (!project.file.worker.empty())
    return (fs::path(project.folder) / project.file.worker).lexically_normal().string();
  const std::string worker = worker_in(place.folder);
  return worker.empty() ? worker_in(place.root) : worker;
}

WorkerProgram worker_of(const std::string& own, const SidesRequest& request, std::size_t i,
                        std::vector<std::string> extensions, EnvironmentVariables variables) {
  const WorkerRequest& flags = request.worker;
  WorkerRequest named = flags;
  if (!own.empty()) named.worker = own;
  named.extensions.clear();
  const std::string path = need_worker(named, "").path();
  variables = with_libraries(i == 0 ? "--a-libs" : "--b-libs", request.flags.sides[i].libraries,
                             path, std::move(variables));
  auto sandbox = worker_sandbox(flags, path, extensions, variables);
  return WorkerProgram(path, std::move(extensions), std::move(variables), std::move(sandbox));
}

Side side_of(const std::array<Place, 2>& places, const SideProject& project, std::size_t i,
             const SidesRequest& request, EnvironmentVariables variables) {
  const Place& place = places[i];
  const std::string own = own_worker(place, project, request.flags.sides[i]);
  const bool is_named = own.empty() || own == request.flags.sides[i].worker || own == place.worker;
  if (request.worker.is_sandboxed && !is_named && !is_in(whole_path(own), place.root))
    throw Error(fmt::format(
        "--sandbox: the worker of {} would be {}, outside of its tree {}; if it is meant, say "
        "--{}-worker {}",
        place.name, whole_path(own), place.root, i == 0 ? "a" : "b", own));
  Side side;
  side.name = place.name;
  side.folder = place.folder;
  side.root = place.root;
  side.commit = place.commit;
  side.dirty = place.is_revision ? tree_in_git(place.root).dirty : place.dirty;
  side.has_own_worker = !own.empty();
  side.worker = worker_of(own, request, i, extensions_of(request.worker.extensions, places, i),
                          std::move(variables));
  return side;
}

/// The suites of the command line, else those in plumbline.yaml of the current folder, or of a side
/// that is a folder.
std::vector<std::string> typed_suites(const SidesRequest& request) {
  if (!request.suites.empty()) return request.suites;
  for (const std::string& folder :
       {std::string("."), request.names[1].text, request.names[0].text}) {
    const auto file =
        fs::is_directory(folder) ? find_upwards(folder, "plumbline.yaml") : std::nullopt;
    if (!file) continue;
    if (request.worker.is_sandboxed)
      require_within_tree(*file, "the project file", "put the file itself there");
    if (read_project_file(*file).suites.empty()) continue;
    std::vector<std::string> suites = project_suites(folder);
    if (request.worker.is_sandboxed) require_suites_within_tree(suites, *file);
    return suites;
  }
  return project_suites(".");  // says what is missing
}

}  // namespace

EnvironmentVariables variables_of(const std::string& flag, const std::vector<std::string>& texts) {
  EnvironmentVariables variables;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(flag + " " + text + ": expected NAME=VALUE, as in " + flag +
                  " LD_LIBRARY_PATH=/opt/new/lib");
    if (!variables.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw Error(flag + " " + text + ": " + text.substr(0, equals) + " is given twice");
  }
  return variables;
}

Sides find_sides(const SidesRequest& request, Talk& talk) {
  forget_hook_variables();
  const std::vector<std::string> typed = typed_suites(request);
  const std::string here = present_folder(typed);
  std::array<EnvironmentVariables, 2> variables{
      variables_of("--a-env", request.flags.sides[0].variables),
      variables_of("--b-env", request.flags.sides[1].variables)};
  std::array<Place, 2> places{place_of(request.names[0], here, typed, talk),
                              place_of(request.names[1], here, typed, talk)};
  BuildFlags build{request.worker, {}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    variables[i].insert(places[i].variables.begin(), places[i].variables.end());
    if (const auto python = variables[i].find("PLUMBLINE_PYTHON"); python != variables[i].end())
      build.pythons.push_back(python->second);
  }
  const bool is_one_revision =
      places[0].is_revision && places[1].is_revision && places[0].commit == places[1].commit;
  // The same order in all commands, or two of them may wait for each other.
  const std::size_t first = places[1].commit < places[0].commit ? 1 : 0;
  enter_checkout(places[first], talk);
  is_one_revision ? enter_that_of(places[0], places[1]) : enter_checkout(places[1 - first], talk);
  const std::array projects{
      project_of(places[0], request.flags.build, request.worker.is_sandboxed),
      project_of(places[1], request.flags.build, request.worker.is_sandboxed)};
  Sides found;
  const bool is_one_folder =
      places[0].folder == places[1].folder ||
      (!projects[0].folder.empty() && projects[0].folder == projects[1].folder);
  for (const std::size_t i : {0, 1}) {
    const bool is_built = i == 1 && is_one_folder;
    if (is_built || (!places[i].is_revision && request.flags.skips_build)) continue;
    found.signal = build_side(places, projects, i, build, talk);
    if (found.signal != 0) return found;
  }
  for (const std::size_t i : {0, 1})
    found.sides[i] = side_of(places, projects[i], i, request, std::move(variables[i]));
  for (std::size_t i = 0; i < places.size(); ++i)
    found.sides[i].checkout = std::move(places[i].checkout);
  for (const Side& side : found.sides)
    if (side.checkout.lock.get() >= 0 && side.dirty == "yes")
      found.notes.push_back(fmt::format(
          "the build of {} changed files of its commit; its checkout is {}", side.name, side.root));
  if (!request.suites.empty() || !take_own_suites(projects, request.worker.is_sandboxed, found))
    find_suites(typed, places, found);
  for (Side& side : found.sides) side.worker.show(side.suites);
  return found;
}

int build_project_of(const std::string& folder, const std::string& command,
                     const WorkerRequest& flags, Talk& talk) {
  const Place place = folder_place("the present folder", folder);
  return build_folder(place, project_of(place, command, flags.is_sandboxed), {flags, {}}, talk);
}

}  // namespace plumbline
