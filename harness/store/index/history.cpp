#include "store/index/history.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "store/index/index_update.h"
#include "store/index/sqlite.h"
#include "store/run/counted_runs.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/run/summary.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> runs_in(const std::string& folder) {
  if (!fs::is_directory(folder)) throw Error("history: there is no folder '" + folder + "'");
  std::vector<std::string> runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (fs::is_regular_file(entry.path() / "run.json"))
      runs.push_back(entry.path().string());
    else if (fs::is_regular_file(entry.path() / "results.csv"))
      throw Error("history: " + entry.path().string() +
                  " holds results.csv and no run.json, which says what they are of; put it back, "
                  "or take the folder out");
  }
  if (runs.empty()) throw Error("history: '" + folder + "' holds no run directory");
  std::ranges::sort(runs);
  return runs;
}

PastRun past_run(const RunInfo& info, const std::string& path) {
  return {path,
          info.started_at,
          info.environment.commit,
          info.environment.device_class,
          info.environment.device_uuid(),
          info.measurement_revision,
          info.shard,
          info.environment.host,
          info.environment.boot_id};
}

HistoryFolder read_summaries(const std::vector<std::string>& paths) {
  CountedRuns counted = counted_runs(paths);
  HistoryFolder history;
  history.notes = std::move(counted.notes);
  for (const RunToCount& run : counted.runs)
    history.runs.push_back(summary_of(run.path, read_run_json(run.path + "/run.json")));
  return history;
}

}  // namespace

RunSummary summary_of(const Run& run) { return {past_run(run.info, run.path), summarize(run)}; }

RunSummary summary_of(const std::string& run_directory, const RunFile& file) {
  try {
    return {past_run(file.info, run_directory), read_summary(run_directory, file).rows};
  } catch (const StaleSummary&) {
    return summary_of(read_run(run_directory));
  }
}

HistoryFolder read_history(const std::string& folder,
                           const std::function<void(const std::string&)>& say, IndexUse use) {
  const std::vector<std::string> paths = runs_in(folder);
  if (use == IndexUse::never ||
      (use == IndexUse::if_worthwhile && !is_index_worthwhile(folder, paths)))
    return read_summaries(paths);
  IndexedFolder indexed = read_by_index(folder, paths, say);
  return {std::move(indexed.runs), std::move(indexed.notes), std::move(indexed.stored)};
}

History history_of(std::vector<RunSummary> runs, const HistoryFolder& folder,
                   const std::string& case_id, bool keeps_spreads) {
  if (!folder.stored) return make_history(runs, case_id, keeps_spreads);
  try {
    return make_history(runs, *folder.stored, case_id, keeps_spreads);
  } catch (const DatabaseError&) {
    for (RunSummary& run : runs) {
      if (run.stored == 0) continue;
      const PastRun kept = run.run;
      remove_index(fs::path(kept.path).parent_path().string());
      run = summary_of(kept.path, read_run_json(kept.path + "/run.json"));
      run.run = kept;
    }
    return make_history(runs, case_id, keeps_spreads);
  }
}

}  // namespace plumbline
