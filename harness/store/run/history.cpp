#include "store/run/history.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "store/run/copies.h"
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

RunSummary summary_of(const std::string& path) {
  try {
    Summary summary = read_summary(path);
    return {past_run(summary.info, path), std::move(summary.rows)};
  } catch (const StaleSummary&) {
    return summary_of(read_run(path));
  }
}

}  // namespace

RunSummary summary_of(const Run& run) { return {past_run(run.info, run.path), summarize(run)}; }

HistoryFolder read_history(const std::string& folder) {
  HistoryFolder history;
  MetRuns runs;
  for (const std::string& path : runs_in(folder)) {
    const RunFile file = read_run_json(path + "/run.json");
    if (file.info.finished_at.empty())
      history.notes.push_back(path + " has not finished and is left out");
    else if (const std::string met = runs.met(path, file); !met.empty())
      history.notes.push_back(copy_note(path, met));
    else
      history.runs.push_back(summary_of(path));
  }
  return history;
}

}  // namespace plumbline
