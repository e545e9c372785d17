#include <array>

#include "core/error.h"
#include "fuzz/targets.h"
#include "store/run/accepted_runs.h"
#include "store/run/result_scan.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/run/summary.h"

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
  read_run(run);
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
  baseline_of(read_accepted(path), "GPU-1");
}

}  // namespace

std::span<const Target> run_targets() {
  static constexpr std::array kTargets = {
      Target{"results", read_results}, Target{"run", read_record},
      Target{"summary", read_summary_file}, Target{"baseline", read_baseline}};
  return kTargets;
}

}  // namespace plumbline::fuzz
