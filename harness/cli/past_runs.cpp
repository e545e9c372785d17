#include "cli/past_runs.h"

#include <filesystem>

#include "cli/console.h"
#include "store/history.h"

namespace plumbline {

void add_history_flag(CLI::App& app, std::string& folder) {
  app.add_option("--history", folder,
                 "a folder of earlier runs: what each case varies by from run to run is learned "
                 "from them")
      ->type_name("DIR");
}

History past_runs(const std::string& folder, const RunInfo& baseline, const Run& candidate) {
  HistoryFolder found = read_history(folder);
  for (const std::string& note : found.notes) print_note(note);
  const auto own = std::filesystem::weakly_canonical(candidate.path);
  std::erase_if(found.runs, [&](const RunSummary& summary) {
    return std::filesystem::weakly_canonical(summary.run.path) == own;
  });
  return make_history(earlier_runs(std::move(found.runs), baseline, candidate.info));
}

}  // namespace plumbline
