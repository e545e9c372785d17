#include "workflow/results/run_database.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/error.h"
#include "store/exported/runs_database.h"
#include "store/file.h"
#include "store/folder.h"
#include "store/run/counted_runs.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"
#include "workflow/results/named_results.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Verdicts of the comparison that judged this run, if it lies in the run's directory.
void add_verdicts_of(RunsDatabase& database, const RunInfo& info, const fs::path& folder,
                     Talk& talk) {
  const fs::path path = folder / "comparison.json";
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return;
  const Comparison comparison = read_comparison(path.string());
  if (comparison.candidate.started_at == info.started_at)
    database.add_verdicts(comparison);
  else
    talk.note(path.string() + " judges another run and is left out");
}

std::string name_of_folder(const std::string& path) {
  return fs::weakly_canonical(path).filename().string();
}

void add_whole_run(RunsDatabase& database, const std::string& path, Talk& talk) {
  const Run run = read_run(path);
  talk.notes(run.warnings);
  if (run.info.finished_at.empty()) talk.note(run.path + " is not finished");
  database.add_run(run.info, name_of_folder(run.path), summarize(run), "");
  database.add_results(run.rows);
  add_verdicts_of(database, run.info, run.path, talk);
}

std::vector<std::string> runs_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const fs::path& entry : entries_of(folder))
    if (fs::is_regular_file(entry / "run.json")) paths.push_back(entry.string());
  if (paths.empty())
    throw Error(folder +
                ": found no run in it; expected a run directory, a baseline, or a folder "
                "of runs");
  std::ranges::sort(paths);
  return paths;
}

/// The summary of a run, made again where it is missing or stale.
Summary summary_of(const std::string& path, const RunFile& file) {
  try {
    return read_summary(path, file);
  } catch (const StaleSummary&) {
    return {file.info, summarize(read_run(path)), path};
  }
}

std::size_t add_runs_of(RunsDatabase& database, const std::string& folder, Talk& talk) {
  const CountedRuns counted = counted_runs(runs_in(folder));
  talk.notes(counted.notes);
  if (counted.runs.empty()) throw Error(folder + ": found no finished run in it");
  for (const RunToCount& run : counted.runs) {
    talk.now("reading " + run.path);
    const RunFile file = read_run_json(run.path + "/run.json");
    database.add_run(file.info, name_of_folder(run.path), summary_of(run.path, file).rows,
                     results_hash(file.results, run.path));
    add_verdicts_of(database, file.info, run.path, talk);
  }
  talk.now("");
  return counted.runs.size();
}

}  // namespace

std::size_t write_run_database(const std::string& input, const std::string& output, Talk& talk) {
  const bool is_folder = fs::is_directory(input) && !fs::exists(fs::path(input) / "run.json");
  if (!is_folder) require_results(input);
  require_writable(output);
  const std::string temporary = output + ".tmp" + std::to_string(::getpid());
  std::error_code ignored;
  std::size_t runs = 1;
  try {
    fs::remove(temporary, ignored);
    RunsDatabase database(temporary);
    if (is_folder)
      runs = add_runs_of(database, input, talk);
    else
      add_whole_run(database, input, talk);
    database.finish();
  } catch (const DatabaseError& error) {
    fs::remove(temporary, ignored);
    throw Error(output + ": cannot write it: " + error.what());
  } catch (...) {
    fs::remove(temporary, ignored);
    throw;
  }
  std::error_code problem;
  fs::rename(temporary, output, problem);
  if (problem) {
    fs::remove(temporary, ignored);
    throw Error(output + ": cannot write it: " + problem.message());
  }
  return runs;
}

}  // namespace plumbline
