#include <array>
#include <filesystem>
#include <functional>

#include "core/error.h"
#include "fuzz/targets.h"
#include "store/csv/columns.h"
#include "store/recorded/kernels.h"
#include "store/recorded/plans.h"
#include "store/run/accepted_runs.h"
#include "store/run/counted_runs.h"
#include "store/run/result_scan.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/run/run_writer.h"
#include "store/run/summary.h"
#include "store/shards/case_costs.h"
#include "store/shards/run_progress.h"

namespace plumbline::fuzz {
namespace {

/// A run without results, whose other file is the input.
std::string run_with(const std::string& folder, const std::string& name, std::string_view input) {
  static const std::string kRecord = run_json_text({});
  written(folder, "run/run.json", kRecord);
  written(folder, "run/" + name, input);
  return folder + "/run";
}

void read_results(std::string_view input, const std::string& folder) {
  const std::string run = run_with(folder, "results.csv", input);
  try {
    scan_results(run + "/results.csv", VisitOrder::any);
  } catch (const Error&) {
    read_run(run);  // refuses it too, in its own words
    demand(false, "a run whose results cannot be read is refused");
  }
  const std::vector<ResultRow> rows = read_run(run).rows;
  std::string again = header_line();
  for (const ResultRow& row : rows) {
    kernels_of(row.kernels);
    plans_of(row.plan);
    append_row(row, again);
  }
  const std::string path = written(folder, "again/results.csv", again);
  demand(scan_results(path, VisitOrder::any).rows.size() == rows.size(),
         "results are read as they are written");
}

bool is_read(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// A run directory: run.json, results.csv, summary.csv. A part that is missing is a missing file.
void read_directory(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 3);
  const std::string run = folder + "/whole", other = folder + "/whole2";
  for (const std::string& path : {run, other}) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    for (std::size_t i = 0; i < files.size(); ++i)
      if (!files[i].empty())
        written(path, std::array{"run.json", "results.csv", "summary.csv"}[i], files[i]);
  }
  const std::array<std::function<void()>, 6> readers = {
      [&] {
        counted_runs(std::array{run, other});
      },
      [&] { read_summary(run); },
      [&] { read_case_costs(run); },
      [&] { read_progress(run); },
      [&] {
        write_summary(read_runs({run, other}).front());
      },
      [&] { RunWriter::resume(other); }};
  std::size_t good = 0;  // each of them may refuse what others read
  for (const std::function<void()>& reader : readers) good += is_read(reader) ? 1 : 0;
  if (good == 0) throw Error("no part of the run is read");
}

/// What was read is written and read again.
void read_record(std::string_view input, const std::string& folder) {
  const std::string text = run_json_text(read_run_json(written(folder, "run.json", input)));
  demand(run_json_text(read_run_json(written(folder, "again.json", text))) == text,
         "run.json is read as it is written");
}

void read_summary_file(std::string_view input, const std::string& folder) {
  run_with(folder, "results.csv", "");  // whose checksum the inputs name
  read_summary(run_with(folder, "summary.csv", input));
}

/// The JSON and the CSV.
void read_baseline(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 2);
  const std::string path = written(folder, "baseline.json", files[0]);
  written(folder, "baseline.csv", files[1]);
  AcceptedRuns accepted = read_accepted(path);
  baseline_of(accepted, accepted.runs.back());
  accepted.path = written(folder, "again.csv", "");
  write_accepted(accepted);
  demand(read_accepted(accepted.path).runs.size() == accepted.runs.size(),
         "a baseline is read as it is written");
  baseline_of(std::move(accepted), "GPU-1");
}

}  // namespace

std::span<const Target> run_targets() {
  static constexpr std::array kTargets = {
      Target{"results", read_results, {Grammar::csv}}, Target{"run", read_record, {Grammar::json}},
      Target{"summary", read_summary_file, {Grammar::csv}},
      Target{"baseline", read_baseline, {Grammar::json, Grammar::csv}},
      Target{"directory", read_directory, {Grammar::json, Grammar::csv, Grammar::csv}}};
  return kTargets;
}

}  // namespace plumbline::fuzz
