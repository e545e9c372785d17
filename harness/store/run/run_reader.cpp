#include "store/run/run_reader.h"

#include <filesystem>
#include <future>

#include "core/error.h"
#include "core/parallel.h"
#include "store/file.h"
#include "store/run/accepted_runs.h"
#include "store/run/baseline_row.h"
#include "store/run/result_scan.h"
#include "store/run/run_json.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

RunFiles files_of_directory(const fs::path& directory) {
  const RunFiles files{directory / "run.json", directory / "results.csv", false};
  if (fs::exists(files.json)) return files;
  throw Error(directory.string() +
              ": found no run.json in it, expected a run directory, or the "
              "path of a baseline such as baselines/DEVICE/SUITE.csv");
}

/// Whether an `accept` that was stopped had replaced the CSV, but not yet the JSON: the next JSON
/// then describes the CSV. One that cannot be read describes nothing.
bool is_replaced_by_half(const RunFiles& files, const std::string& next) {
  if (!fs::exists(next) || !fs::exists(files.csv)) return false;
  try {
    const RunFile described = read_run_json(next);
    return described.results && described.results->hash == hash_of_file(files.csv).text();
  } catch (const Error&) {
    return false;
  }
}

RunFiles files_of_baseline(const fs::path& path) {
  const bool has_extension = path.extension() == ".csv" || path.extension() == ".json";
  const std::string stem =
      has_extension ? fs::path(path).replace_extension().string() : path.string();
  RunFiles files{stem + ".json", stem + ".csv", true};
  const std::string next = end_of_links(files.json).string() + kNextJson;
  if (is_replaced_by_half(files, next)) files.json = next;
  if (!fs::exists(files.csv) && !fs::exists(files.json))
    throw Error(path.string() +
                (fs::exists(path) ? ": found a file that is no run" : ": found nothing there") +
                ", expected a run directory or a baseline (" + files.csv + " and " + files.json +
                ")");
  if (!fs::exists(files.json))
    throw Error(files.csv + ": found no " + files.json +
                " beside it, which describes it; expected "
                "the two files of a baseline, or a run directory");
  return files;
}

/// A changed file that still parses is read with a warning, because people do edit results.
std::string seal_doubt(const RunFiles& files, const ResultsSeal& seal, const ContentHash& hash) {
  if (hash.size_bytes() == seal.bytes && hash.text() == seal.hash) return "";
  return files.csv + ": found " + std::to_string(hash.size_bytes()) + " bytes with checksum " +
         hash.text() + ", but " + files.json + " recorded " + std::to_string(seal.bytes) +
         " bytes with checksum " + seal.hash +
         " when the run finished: the results were changed since";
}

}  // namespace

std::string RunFiles::path() const {
  return is_baseline ? csv : fs::path(json).parent_path().string();
}

RunFiles files_of(const std::string& named) {
  const fs::path path = named;
  if (fs::is_directory(path)) return files_of_directory(path);
  const fs::path name = path.filename();
  if ((name == "results.csv" || name == "run.json") && fs::exists(path.parent_path() / "run.json"))
    return files_of_directory(path.parent_path());
  return files_of_baseline(path);
}

Run read_run(const std::string& path) {
  const RunFiles files = files_of(path);
  const RunFile file = read_run_json(files.json);
  if (!file.accepted.empty()) return baseline_of(read_accepted(path), "").run;
  // A baseline may have been copied into a run directory; its rows are still sorted.
  const bool accepted = files.is_baseline || file.info.acceptance;
  ResultScan scan = scan_results(files.csv, accepted ? VisitOrder::any : VisitOrder::contiguous);
  Run run;
  run.info = file.info;
  run.path = files.path();
  run.rows = std::move(scan.rows);
  const bool finished = accepted || !file.info.finished_at.empty();
  for (const std::optional<std::string>& end : {scan.torn, scan.incomplete}) {
    if (!end) continue;
    if (finished) throw Error(*end + "; the run is finished, so the file is damaged: restore it");
    run.warnings.push_back(
        *end + (end == scan.torn ? "; the row was left out" : "; --resume measures it again"));
  }
  if (accepted) reduce(run);  // earlier versions kept a median of each block
  if (finished && file.results)
    if (std::string doubt = seal_doubt(files, *file.results, scan.hash); !doubt.empty())
      run.warnings.push_back(std::move(doubt));
  return run;
}

std::vector<Run> read_runs(const std::vector<std::string>& paths) {
  std::vector<std::future<Run>> reading;
  for (const std::string& path : paths) reading.push_back(std::async(kThreadIfAny, read_run, path));
  std::vector<Run> runs;
  for (std::future<Run>& run : reading) runs.push_back(run.get());
  return runs;
}

}  // namespace plumbline
