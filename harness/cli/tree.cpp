#include "cli/tree.h"

#include <filesystem>

#include "cli/git.h"
#include "core/error.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPlaces[] = {"build/bin/plumbline-worker", "bin/plumbline-worker",
                                   "plumbline-worker"};

fs::path worker_in(const std::string& path) {
  if (fs::is_regular_file(path)) return path;
  for (const char* place : kPlaces)
    if (fs::is_regular_file(fs::path(path) / place)) return fs::path(path) / place;
  if (!fs::exists(path)) throw Error("tree '" + path + "': there is no such folder");
  throw Error("tree '" + path + "' holds no worker; looked for " + kPlaces[0] + ", " + kPlaces[1] +
              " and " + kPlaces[2] + ": build it there, or name the worker itself");
}

}  // namespace

BuiltTree find_tree(const std::string& path, const std::vector<std::string>& extensions) {
  const fs::path worker = fs::absolute(worker_in(path));
  const Tree tree = tree_in_git(worker.parent_path().string());
  return {path, tree.commit, tree.dirty,
          WorkerProgram(worker.string(), absolute_paths(extensions))};
}

}  // namespace plumbline
