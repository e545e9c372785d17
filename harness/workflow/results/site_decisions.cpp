#include "workflow/results/site_decisions.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "core/moment.h"
#include "store/folder.h"
#include "store/run/run_json.h"
#include "store/verdict/ledger_json.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> baselines_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const fs::path& device : entries_of(folder))
    if (fs::is_directory(device))
      for (const fs::path& file : entries_of(device))
        if (file.extension() == ".json") files.push_back(file);
  std::ranges::sort(files);
  return files;
}

}  // namespace

Decisions read_decisions(const std::string& baselines) {
  Decisions decisions;
  std::map<std::string, std::string> class_of_folder;
  for (const fs::path& path : baselines_in(baselines)) {
    const RunFile file = read_run_json(path.string());
    const std::string device = file.info.environment.device_class;
    class_of_folder[path.parent_path().filename().string()] = device;
    for (const RunInfo& run : file.accepted)
      if (run.acceptance)
        decisions.accepted.push_back({device, file.suite, run.started_at, run.acceptance->by,
                                      run.acceptance->why, run.acceptance->at});
  }
  std::ranges::stable_sort(decisions.accepted, {},
                           [](const AcceptedRun& run) { return moment_of(run.at); });
  for (const LedgerEntry& entry : read_ledger(ledger_path(baselines))) {
    const auto known = class_of_folder.find(entry.device);
    // A folder without a baseline does not belong to any device in the site's runs.
    decisions.ledger.push_back(
        {entry, known == class_of_folder.end() ? entry.device : known->second});
  }
  return decisions;
}

}  // namespace plumbline
