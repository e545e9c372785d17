#include "workflow/shards/found_shards.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "core/error.h"
#include "store/folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The folders directly in `folder` that are not hidden, sorted.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::path& entry : entries_of(folder))
    if (fs::is_directory(entry) && !entry.filename().string().starts_with('.'))
      found.push_back(entry);
  std::ranges::sort(found);
  return found;
}

/// Collects run directories, each once.
class Finder {
 public:
  void take(const std::string& named) {
    if (!fs::exists(named)) return found_.mistakes.push_back(named + ": there is nothing");
    if (!fs::is_directory(named))
      return found_.mistakes.push_back(
          named + ": found a file, expected a run directory, or a folder that holds some");
    if (fs::exists(fs::path(named) / "run.json")) return add(named);
    std::size_t before = found_.runs.size() + found_.unbegun.size() + found_.mistakes.size();
    for (const fs::path& folder : folders_in(named)) {
      if (is_closed(folder)) continue;  // a shard in it is told as missing
      if (fs::exists(folder / "run.json"))
        add(folder.string());
      else if (fs::exists(folder / "results.csv"))
        found_.unbegun.push_back(folder.string());
    }
    if (found_.runs.size() + found_.unbegun.size() + found_.mistakes.size() == before &&
        !is_known(named))
      found_.mistakes.push_back(named + ": found no run directory in it");
  }

  FoundRuns runs() && {
    std::ranges::sort(found_.runs, {}, &FoundRun::path);
    return std::move(found_);
  }

 private:
  void add(const std::string& path) {
    if (!known_.insert(fs::weakly_canonical(path)).second) return;
    try {
      found_.runs.push_back({path, read_run_json(path + "/run.json")});
    } catch (const Error& error) {
      found_.mistakes.emplace_back(error.what());
    }
  }

  /// True if runs in the folder were named before.
  bool is_known(const std::string& folder) const {
    return std::ranges::any_of(folders_in(folder), [&](const fs::path& inner) {
      return known_.contains(fs::weakly_canonical(inner));
    });
  }

  FoundRuns found_;
  std::set<fs::path> known_;
};

}  // namespace

FoundRuns find_runs(const std::vector<std::string>& paths) {
  Finder finder;
  for (const std::string& path : paths) finder.take(path);
  return std::move(finder).runs();
}

}  // namespace plumbline
