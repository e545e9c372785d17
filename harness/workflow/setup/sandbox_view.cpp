#include "workflow/setup/sandbox_view.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "workflow/setup/git.h"
#include "workflow/setup/linked_libraries.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Parts of an installation. The rest of such a folder may be anything: ~/.local is one.
constexpr std::array kParts{"bin",
                            "sbin",
                            "lib",
                            "lib32",
                            "lib64",
                            "libexec",
                            "include",
                            "nvvm",
                            "targets",
                            "pyvenv.cfg",
                            "share/plumbline",
                            "share/plumbline/python"};  // a link in a build tree

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

/// Without '.', '..' and a '/' at the end; links stay.
fs::path clean(const std::string& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

bool holds_home(const fs::path& folder) {
  const std::string home = variable("HOME");
  return is_path_in("/root", folder) || (!home.empty() && is_path_in(clean(home), folder)) ||
         (!home.empty() && is_path_in(fs::weakly_canonical(home), folder));
}

/// Shows a path as it is named, and where its links lead. A missing one is left out.
void show(const std::string& path, Sandbox& sandbox) {
  std::error_code none;
  if (path.empty() || !fs::exists(path, none)) return;
  for (const fs::path& place : {clean(path), fs::canonical(path)})
    if (!holds_home(place)) sandbox.readable.push_back(place.string());
}

/// The same, and throws Error if the folder holds the home.
void show_whole(const std::string& folder, const std::string& why, Sandbox& sandbox) {
  for (const fs::path& place : {clean(folder), fs::weakly_canonical(folder)})
    if (holds_home(place))
      throw Error(fmt::format(
          "--sandbox would show {}, {}, and that holds a home, which a sandbox hides: move it into "
          "a folder of its own",
          place.string(), why));
  show(folder, sandbox);
}

void show_installation(const fs::path& prefix, Sandbox& sandbox) {
  for (const char* part : kParts) show((prefix / part).string(), sandbox);
}

void show_list(const std::string& paths, Sandbox& sandbox) {
  std::stringstream list(paths);
  for (std::string path; std::getline(list, path, ':');) show(path, sandbox);
}

/// Folders of programs or of libraries, each with the parts beside it: lib/ needs include/.
/// Libraries of pip's packages name libraries of other packages, so all packages are shown.
void show_folders(const std::string& paths, Sandbox& sandbox) {
  std::stringstream list(paths);
  for (std::string path; std::getline(list, path, ':');) {
    if (path.empty()) continue;
    show(path, sandbox);
    const fs::path folder = clean(path);
    if (std::ranges::count(kParts, folder.filename()) > 0)
      show_installation(folder.parent_path(), sandbox);
    for (fs::path above = folder; above != above.parent_path(); above = above.parent_path())
      if (above.filename() == "site-packages" || above.filename() == "dist-packages")
        show(above.string(), sandbox);
  }
}

Sandbox common_view(const WorkerRequest& flags) {
  Sandbox sandbox;
  sandbox.limits = flags.limits;
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH"})
    show_folders(variable(name), sandbox);
  for (const char* name : {"LD_PRELOAD", "PYTHONPATH", "CPATH", "CUDA_HOME", "CUDA_PATH",
                           "VIRTUAL_ENV", "CONDA_PREFIX", "PLUMBLINE_INCLUDE"})
    show_list(variable(name), sandbox);
  show_installation(clean(program_folder()).parent_path(), sandbox);
  for (const std::string& path : flags.readable) {
    if (!fs::exists(path)) throw Error("--sandbox-read " + path + ": there is no such path");
    show_whole(path, "which --sandbox-read names", sandbox);
  }
  return sandbox;
}

bool is_of_packages(const fs::path& folder) {
  return std::ranges::any_of(folder, [](const fs::path& part) {
    return part == "site-packages" || part == "dist-packages";
  });
}

Repository repository_at(const std::string& path) {
  struct stat known {};
  if (lstat(path.c_str(), &known) != 0) throw Error("cannot read " + path);
  return {path, known.st_dev, known.st_ino};
}

enum class Unreadable { skipped, refused };

/// Every .git in the tree. Throws Error for a folder that cannot be read if that is refused: a .git
/// may be in it.
std::vector<Repository> repositories_in(const std::string& root, Unreadable folders) {
  std::vector<Repository> found;
  std::error_code problem;
  using Walk = fs::recursive_directory_iterator;
  Walk walk(root,
            folders == Unreadable::skipped ? fs::directory_options::skip_permission_denied
                                           : fs::directory_options::none,
            problem);
  for (; !problem && walk != Walk(); walk.increment(problem)) {
    if (walk->path().filename() != ".git") continue;
    found.push_back(repository_at(walk->path().string()));
    walk.disable_recursion_pending();
  }
  if (problem && folders == Unreadable::refused)
    throw Error(fmt::format(
        "--sandbox: a folder in {} cannot be read ({}), and git may obey what is in it: let its "
        "owner be the one who calls plumbline",
        root, problem.message()));
  return found;
}

/// A .git may hold a token (git's http.extraheader).
void cover_repositories(const std::vector<Repository>& repositories, Sandbox& sandbox) {
  for (const Repository& repository : repositories)
    if (fs::is_directory(fs::symlink_status(repository.path)))
      sandbox.covered.push_back(repository.path);
}

/// Throws Error if plumbline, outside of the sandbox, would run or load what the build can change.
void require_programs_outside_of(const fs::path& tree, const std::vector<std::string>& pythons) {
  std::vector<std::pair<std::string, std::string>> places{
      {"the program's folder", program_folder()}};
  for (const std::string& python : pythons) places.emplace_back("the Python of a side", python);
  for (const char* name : {"PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LD_PRELOAD",
                           "VIRTUAL_ENV", "CONDA_PREFIX", "PLUMBLINE_PYTHON"}) {
    std::stringstream list(variable(name));
    for (std::string path; std::getline(list, path, ':');)
      if (path.find('/') != std::string::npos) places.emplace_back(name, path);
  }
  for (const auto& [name, path] : places)
    for (const fs::path& place : {clean(path), fs::weakly_canonical(path)})
      if (is_path_in(place, tree))
        throw Error(fmt::format(
            "--sandbox: {} names {}, in the tree that `build:` may change, and plumbline would use "
            "it outside of the sandbox: move it out of {}",
            name, path, tree.string()));
}

}  // namespace

void check_sandbox(const RunRequest& request, Talk& talk) {
  if (!request.worker.is_sandboxed) {
    if (!request.worker.readable.empty())
      throw Error("--sandbox-read is only for --sandbox: without it, code sees every file");
    if (request.worker.limits != ResourceLimits{})
      throw Error("--sandbox-memory and --sandbox-processes are only for --sandbox");
    return;
  }
  if (!request.sanitizer.empty())
    throw Error("--sandbox does not go with --sanitizer: compute-sanitizer starts the worker");
  if (!request.lock_clocks.empty())
    throw Error(
        "--sandbox does not go with --lock-clocks: the worker that locks them needs rights "
        "which a sandbox takes away");
  static bool is_checked = false;  // a command has several steps
  if (is_checked) return;
  require_sandbox();
  is_checked = true;
  for (const std::string& gap :
       gaps_in(limit_means(), with_defaults(request.worker.limits), group_place().why_not))
    talk.note(gap);
}

std::optional<Sandbox> worker_sandbox(const WorkerRequest& flags, const std::string& worker,
                                      const std::vector<std::string>& extensions,
                                      const EnvironmentVariables& variables) {
  if (!flags.is_sandboxed) return std::nullopt;
  Sandbox sandbox = common_view(flags);
  for (const char* name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH"})
    if (const auto given = variables.find(name); given != variables.end())
      show_folders(given->second, sandbox);
  for (const std::string& extension : extensions)
    show_whole(fs::path(extension).parent_path().string(), "the folder of an --extension", sandbox);
  // A worker from the tree under test names what it likes.
  const fs::path own = clean(worker).parent_path().parent_path();
  for (const std::string& folder : linked_libraries(worker).folders)
    if (is_of_packages(folder) || is_path_in(folder, own)) show_folders(folder, sandbox);
  return with_program(std::move(sandbox), worker);
}

std::optional<BuildSandbox> build_sandbox(const WorkerRequest& flags, const std::string& root,
                                          const std::vector<std::string>& kept,
                                          const std::vector<std::string>& pythons) {
  if (!flags.is_sandboxed) return std::nullopt;
  BuildSandbox build{common_view(flags), {}};
  show_whole(root, "the tree that `build:` builds", build.view);
  const fs::path tree = fs::canonical(root);
  require_programs_outside_of(tree, pythons);
  build.view.writable = {tree.string()};
  build.repositories = repositories_in(tree.string(), Unreadable::refused);
  cover_repositories(build.repositories, build.view);
  for (const Repository& repository : build.repositories)
    if (!std::ranges::count(build.view.covered, repository.path))
      build.view.kept.push_back(repository.path);
  for (const std::string& path : kept)
    if (fs::exists(path) && is_path_in(fs::canonical(path), tree))
      build.view.kept.push_back(fs::canonical(path).string());
  return build;
}

void refuse_new_repositories(const BuildSandbox& build) {
  for (const Repository& found :
       repositories_in(build.view.writable.front(), Unreadable::refused)) {
    if (std::ranges::count(build.repositories, found)) continue;
    const std::string aside = found.path + "-refused";
    std::error_code problem;
    fs::rename(found.path, aside, problem);
    throw Error(fmt::format(
        "`build:` made {}, which git would obey outside of the sandbox; {}. Look at it, remove it, "
        "and let the build make no .git",
        found.path, problem ? "it could not be renamed" : "it is now " + aside));
  }
}

std::shared_ptr<const FileLimits> limits_of(const Sandbox& sandbox) {
  FileLimits limits;
  std::error_code none;
  for (const auto& [from, to] : {std::pair{&sandbox.readable, &limits.roots},
                                 {&sandbox.writable, &limits.roots},
                                 {&sandbox.covered, &limits.hidden}})
    for (const std::string& path : *from) to->push_back(fs::weakly_canonical(path, none).string());
  return std::make_shared<const FileLimits>(std::move(limits));
}

std::shared_ptr<const FileLimits> limits_of_suites(const std::vector<std::string>& files,
                                                   const WorkerRequest& flags) {
  if (!flags.is_sandboxed) return nullptr;
  Sandbox sandbox;
  for (const std::string& path : flags.readable) show(path, sandbox);
  show_trees_of(files, sandbox);
  return limits_of(sandbox);
}

void require_within_tree(const std::string& path, const std::string& what,
                         const std::string& instead) {
  std::error_code none;
  const fs::path named = clean(path), place = fs::weakly_canonical(named, none);
  fs::path above;
  for (const fs::path& part : named) {
    const fs::path folder = above;
    above /= part;
    if (!fs::is_symlink(above)) continue;
    const std::string root = tree_in_git(folder.string()).root;
    // Outside of trees, links are this machine's, except for the last one, in the folder itself.
    const fs::path tree = !root.empty() ? fs::path(root) : above == named ? folder : fs::path();
    if (!tree.empty() && !is_path_in(place, fs::weakly_canonical(tree)))
      throw Error(fmt::format("--sandbox: {} {} is a link to {}, outside of {}; {}", what, path,
                              place.string(), tree.string(), instead));
  }
}

void show_trees_of(const std::vector<std::string>& files, Sandbox& sandbox) {
  const FileLimits shown = *limits_of(sandbox);
  for (const std::string& file : files) {
    if (!allows(shown, file))
      require_within_tree(file, "the suite",
                          "name the suite itself, or trust it with --sandbox-read");
    const std::string folder = clean(file).parent_path().string();
    const std::string root = tree_in_git(folder).root;
    show_whole(root.empty() ? folder : root, "the folder of the suite " + file, sandbox);
    show(folder, sandbox);
    show(fs::canonical(file).parent_path().string(), sandbox);
    if (!root.empty()) cover_repositories(repositories_in(root, Unreadable::skipped), sandbox);
  }
}

Sandbox with_program(Sandbox sandbox, const std::string& program) {
  if (program.find('/') == std::string::npos) return sandbox;  // on PATH
  // bin/python3 of a virtual environment is a link to that of another installation, over some
  // steps.
  std::vector<fs::path> places{clean(program)};
  constexpr int kMostLinks = 40;  // as the kernel
  for (int i = 0; i < kMostLinks && fs::is_symlink(places.back()); ++i) {
    const fs::path target = fs::read_symlink(places.back());
    places.push_back((places.back().parent_path() / target).lexically_normal());
  }
  places.push_back(fs::weakly_canonical(program));
  for (const fs::path& place : places) {
    show(place.parent_path().string(), sandbox);
    if (place.parent_path().filename() == "bin")
      show_installation(place.parent_path().parent_path(), sandbox);
  }
  return sandbox;
}

}  // namespace plumbline
