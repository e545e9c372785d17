#include "workflow/results/past_runs.h"

#include <filesystem>

#include "store/run/history.h"

namespace plumbline {

History past_runs(const std::string& folder, const RunInfo& baseline, const Run& candidate,
                  Talk& talk) {
  HistoryFolder found = read_history(folder);
  talk.notes(found.notes);
  const auto own = std::filesystem::weakly_canonical(candidate.path);
  std::erase_if(found.runs, [&](const RunSummary& summary) {
    return std::filesystem::weakly_canonical(summary.run.path) == own;
  });
  return make_history(earlier_runs(std::move(found.runs), baseline, candidate.info));
}

}  // namespace plumbline
