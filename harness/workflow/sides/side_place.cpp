#include "workflow/sides/side_place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "workflow/setup/git.h"
#include "workflow/setup/python_environment.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkerPlaces[] = {"build/bin/plumbline-worker", "bin/plumbline-worker",
                                         "plumbline-worker"};

[[noreturn]] void fail_on_name(const std::string& name, const std::string& root) {
  const bool is_shallow = git_text(root, {"rev-parse", "--is-shallow-repository"}) == "true\n";
  throw Error(fmt::format(
      "'{}' is no folder, no worker{}{}", name,
      root.empty() ? ", and no revision: the present folder lies in no git tree"
                   : " and no revision of " + root,
      is_shallow ? "; this clone is shallow, fetch more of its history (git fetch --unshallow, or "
                   "fetch-depth: 0)"
                 : ""));
}

/// True for a build or an installation, which is no version of the measured code.
bool holds_worker_alone(const Place& place, const std::vector<std::string>& suites) {
  if (place.is_revision || !place.worker.empty() || worker_in(place.folder).empty() ||
      fs::exists(fs::path(place.folder) / "plumbline.yaml"))
    return false;
  const auto is_there = [&](const std::string& suite) {
    const std::string path = whole_path(suite);
    const bool is_own = fs::exists(path) && is_in(path, place.folder);
    return is_own || (fs::path(suite).is_relative() && fs::exists(fs::path(place.folder) / suite));
  };
  return std::ranges::none_of(suites, is_there);
}

/// That worker, with the files of the current folder.
Place worker_place(const Place& place, const std::string& here, Talk& talk) {
  talk.note(place.name +
            " holds a worker but none of the suites: its worker measures the suites of " + here);
  Place made = folder_place(place.name, here);
  made.worker = worker_in(place.folder);
  return made;
}

/// The worker, the torch and the Python of an environment, with the files of the current folder.
Place environment_place(const SideName& name, const std::string& here) {
  std::string prefix = name.text.substr(kEnvironmentPrefix.size());
  const char* const home = std::getenv("HOME");
  if (prefix.starts_with("~/") && home) prefix.replace(0, 1, home);  // a shell leaves it here
  if (prefix.empty()) throw Error(name.text + ": expected the folder of an environment behind it");
  try {
    const PythonEnvironment environment = environment_in(whole_path(prefix));
    const auto worker = worker_of(environment);
    if (!worker) throw Error("no worker is installed in it; " + how_to_get_worker_into(prefix));
    Place place = folder_place(name.text, here);
    place.worker = worker->path;
    place.variables["PLUMBLINE_PYTHON"] = environment.python;
    if (!worker->library_path.empty()) place.variables["LD_LIBRARY_PATH"] = worker->library_path;
    return place;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name.text, error.what()));
  }
}

Place named_place(const SideName& name, const std::string& here) {
  if (name.text.starts_with(kEnvironmentPrefix)) return environment_place(name, here);
  if (name.text.empty()) return folder_place("the present folder", here);
  if (name.text == ".") return folder_place("the present folder", ".");
  const std::string root = tree_in_git(here).root;
  const bool is_path = name.kind != SideKind::revision && fs::exists(name.text);
  const std::string commit =
      name.kind == SideKind::folder || root.empty() ? "" : commit_of(root, name.text);
  if (is_path && !commit.empty())
    throw Error(
        fmt::format("'{0}' is a folder here and a revision of {1}: say ./{0} for the "
                    "folder, or {2} for the revision",
                    name.text, root, commit.substr(0, 12)));
  if (!commit.empty()) {
    Place place;
    place.name = name.text;
    place.commit = commit;
    place.is_revision = true;
    place.origin = whole_path(root);
    place.prefix = fs::path(here).lexically_relative(whole_path(root)).string();
    return place;
  }
  if (!is_path) fail_on_name(name.text, root);
  if (fs::is_directory(name.text)) return folder_place(name.text, name.text);
  if (access(name.text.c_str(), X_OK) != 0)
    throw Error(
        fmt::format("'{}' is no folder, no revision, and no worker, as it is a file that "
                    "cannot be executed",
                    name.text));
  Place place = folder_place(name.text, here);
  place.worker = whole_path(name.text);
  return place;
}

}  // namespace

std::string whole_path(const std::string& path) {
  return fs::weakly_canonical(fs::absolute(path)).string();
}

bool is_in(const std::string& path, const std::string& folder) {
  const fs::path inner = fs::path(path).lexically_relative(folder);
  return !inner.empty() && *inner.begin() != "..";
}

std::string present_folder(const std::vector<std::string>& suites) {
  const std::string here = whole_path(".");
  for (const std::string& suite : suites) {
    std::error_code none;
    if (!fs::exists(suite, none)) continue;
    const std::string path = whole_path(suite);
    const std::string folder =
        fs::is_directory(path) ? path : fs::path(path).parent_path().string();
    const std::string root = tree_in_git(folder).root, own = tree_in_git(here).root;
    // A submodule belongs to the tree that contains it.
    const bool is_here = root.empty() || (!own.empty() && is_in(path, whole_path(own)));
    return is_here ? here : folder;
  }
  return here;
}

Place folder_place(const std::string& name, const std::string& folder) {
  const Tree tree = tree_of(folder);
  Place place;
  place.name = name;
  place.folder = whole_path(folder);
  place.root = tree.root.empty() ? place.folder : whole_path(tree.root);
  place.commit = tree.commit;
  place.dirty = tree.dirty;
  return place;
}

std::string worker_in(const std::string& folder) {
  for (const char* name : kWorkerPlaces)
    if (fs::is_regular_file(fs::path(folder) / name)) return (fs::path(folder) / name).string();
  return "";
}

Place place_of(const SideName& name, const std::string& here,
               const std::vector<std::string>& suites, Talk& talk) {
  Place place = named_place(name, here);
  if (!name.shown.empty()) place.name = name.shown;
  return holds_worker_alone(place, suites) ? worker_place(place, here, talk) : std::move(place);
}

void enter_checkout(Place& place, Talk& talk) {
  if (!place.is_revision) return;
  place.checkout = check_out(place.origin, place.commit, talk);
  if (place.checkout.is_new) talk.note(place.name + " is checked out in " + place.checkout.path);
  place.root = whole_path(place.checkout.path);
  place.folder = (fs::path(place.root) / place.prefix).lexically_normal().string();
  if (place.folder.ends_with('/')) place.folder.pop_back();
}

void enter_that_of(const Place& first, Place& second) {
  second.folder = first.folder;
  second.root = first.root;
}

}  // namespace plumbline
