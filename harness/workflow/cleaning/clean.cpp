#include "workflow/cleaning/clean.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>

#include "core/error.h"
#include "workflow/cleaning/cached_leftovers.h"
#include "workflow/cleaning/old_runs.h"
#include "workflow/cleaning/trash.h"
#include "workflow/setup/cache_folder.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// A folder that is cleaned, with its links resolved, and what is found in it.
struct Root {
  std::string path;
  Leftovers found;
};

void join(Leftovers more, Leftovers& all) {
  std::ranges::move(more.removable, std::back_inserter(all.removable));
  std::ranges::move(more.kept, std::back_inserter(all.kept));
}

/// The whole path of a folder that is there; "" = it is not, and there is nothing to remove.
std::string root_at(const std::string& folder) {
  std::error_code problem;
  const std::string path = fs::canonical(folder, problem).string();
  if (problem) return "";
  if (!fs::is_directory(path)) throw Error(path + ": found a file, expected a folder");
  return path;
}

Root cache_root(const CleanRequest& request) {
  Root root{root_at(cache_folder()), {}};
  if (root.path.empty()) return root;
  if (request.cache) root.found = cached_leftovers(root.path, request.older_than_s);
  if (request.environments) join(environments_in(root.path, request.older_than_s), root.found);
  return root;
}

Root runs_root(const CleanRequest& request, Talk& talk) {
  // Baselines and comparisons that protect runs are those of the runs' own project.
  const std::string& named = request.places.runs;
  const Project project = find_project(named.empty() ? "." : named, request.places);
  Root root{root_at(project.places.runs), {}};
  if (root.path.empty()) {
    if (!request.places.runs.empty())
      throw Error("--runs " + request.places.runs + ": there is no such folder");
    return root;
  }
  if (!fs::is_directory(project.places.baselines)) {
    const std::string missing = "there is no folder of baselines " + project.places.baselines;
    if (request.keep)
      throw Error(missing +
                  ", so which finished runs are accepted is not known; name the folder "
                  "with --baselines");
    talk.note(missing + ": no run stays because it was accepted");
  }
  root.found = old_runs(
      {root.path, project.places.baselines, project.base, request.older_than_s, request.keep});
  return root;
}

/// Removes one leftover. Throws Error: the leftover is then unchanged, or its rest is in the trash.
void remove(const Leftover& leftover, Trash& trash) {
  std::vector<Descriptor> locks;
  if (!take_locks(leftover.in_use, locks))
    throw Error(leftover.path +
                (errno == EWOULDBLOCK
                     ? ": somebody uses it now"
                     : ": it cannot be locked: " + std::generic_category().message(errno)));
  if (leftover.changed > 0 && newest_change_in(leftover.path) > leftover.changed)
    throw Error(leftover.path + ": it was changed meanwhile, and stays");
  if (leftover.is_folder) trash.take(leftover.path);
  for (const std::string& file : leftover.files) {
    std::error_code problem;
    fs::remove(file, problem);
    if (problem) throw Error(file + ": cannot remove it: " + problem.message());
  }
}

void empty_into(Root& root, CleanResult& result) {
  if (root.path.empty() || (root.found.removable.empty() && !has_trash(root.path))) return;
  Trash trash(root.path);
  const auto tried = [&](const auto& action) {
    try {
      action();
      return true;
    } catch (const Error& error) {
      result.failures.push_back(error.what());
      return false;
    }
  };
  tried([&] { trash.empty(); });  // what an interrupted command left
  std::erase_if(root.found.removable,
                [&](const Leftover& leftover) { return !tried([&] { remove(leftover, trash); }); });
  tried([&] { trash.empty(); });
}

}  // namespace

CleanResult clean(const CleanRequest& request, Talk& talk) {
  CleanResult result;
  std::vector<Root> roots;
  // All is found before anything is removed: an Error leaves everything as it is.
  if (request.cache || request.environments) roots.push_back(cache_root(request));
  if (request.runs) roots.push_back(runs_root(request, talk));
  for (Root& root : roots) {
    if (!request.is_dry) empty_into(root, result);
    for (const Leftover& leftover : root.found.removable) result.bytes += leftover.bytes;
    std::ranges::move(root.found.removable, std::back_inserter(result.removed));
    std::ranges::move(root.found.kept, std::back_inserter(result.kept));
  }
  return result;
}

}  // namespace plumbline
