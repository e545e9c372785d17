#include "store/run/moved_runs.h"

#include <filesystem>
#include <vector>

#include "core/error.h"
#include "store/run/run_json.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Whether the run of `info` is at `folder`; false if the run there is damaged.
bool is_run_of(const fs::path& folder, const RunInfo& info) {
  std::error_code ignored;
  try {
    return fs::is_regular_file(folder / "run.json", ignored) && !info.started_at.empty() &&
           read_run_json((folder / "run.json").string()).info.started_at == info.started_at;
  } catch (const Error&) {
    return false;
  }
}

/// Sets `path` to the first of these folders that holds the run.
void find_moved(std::string& path, const RunInfo& info, const std::vector<fs::path>& folders) {
  std::error_code ignored;
  if (path.empty() || fs::exists(path, ignored)) return;
  for (const fs::path& folder : folders)
    if (is_run_of(folder, info)) {
      path = folder.string();
      return;
    }
}

}  // namespace

void find_moved_runs(Comparison& comparison, const std::string& path) {
  std::error_code ignored;
  const fs::path home = fs::weakly_canonical(path, ignored).parent_path();
  const fs::path baseline = fs::path(comparison.baseline_path).filename(),
                 candidate = fs::path(comparison.candidate_path).filename();
  find_moved(comparison.baseline_path, comparison.baseline,
             {home / baseline, home.parent_path() / baseline});
  // The comparison may be stored inside the candidate's directory.
  find_moved(comparison.candidate_path, comparison.candidate,
             {home, home / candidate, home.parent_path() / candidate});
}

}  // namespace plumbline
