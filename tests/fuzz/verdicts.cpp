#include <array>

#include "analysis/code/code_change.h"
#include "analysis/code/compared_code.h"
#include "fuzz/targets.h"
#include "store/run/moved_runs.h"
#include "store/verdict/bisect_json.h"
#include "store/verdict/comparison_json.h"
#include "store/verdict/controls_json.h"
#include "store/verdict/ledger_json.h"
#include "store/verdict/site_record.h"

namespace plumbline::fuzz {
namespace {

void read_ledger_file(std::string_view input, const std::string& folder) {
  const std::string text = ledger_text(read_ledger(written(folder, "ledger.json", input)));
  demand(ledger_text(read_ledger(written(folder, "again.json", text))) == text,
         "ledger.json is read as it is written");
}

void read_comparison_file(std::string_view input, const std::string& folder) {
  const Comparison comparison = read_comparison(written(folder, "comparison.json", input));
  const std::string again = folder + "/again.json";
  write_comparison(comparison, again);
  read_comparison(again);
  demand(find_comparison(again).has_value(), "a comparison is known as one");
  Comparison moved = comparison;
  find_moved_runs(moved, again);
}

void read_controls_file(std::string_view input, const std::string& folder) {
  written(folder, "runs/one/controls.json", input);
  read_controls(folder + "/runs", {}, "", "");
}

void read_bisect(std::string_view input, const std::string& folder) {
  const std::string path = written(folder, "bisect.json", input);
  const std::optional<BisectRecord> record = read_bisect_record(path);
  demand(record.has_value(), "a file that is there is read or refused");
  write_bisect_record(*record, path);
  demand(read_bisect_record(path)->versions == record->versions,
         "bisect.json is read as it is written");
}

/// The JSON and the CSV.
void read_site_files(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 2);
  written(folder, "data/key.json", files[0]);
  written(folder, "data/key.csv", files[1]);
  read_site_run(folder, "key");
}

/// What nvdisasm printed of two kernels.
void read_disassembly(std::string_view input, const std::string&) {
  const std::vector<std::string> texts = parts(input, 2);
  CodeChange change;
  compare_code_texts(texts[0], texts[1], change);
}

}  // namespace

std::span<const Target> verdict_targets() {
  static constexpr std::array kTargets = {
      Target{"ledger", read_ledger_file, {Grammar::json}},
      Target{"comparison", read_comparison_file, {Grammar::json}},
      Target{"controls", read_controls_file, {Grammar::json}},
      Target{"bisect", read_bisect, {Grammar::json}},
      Target{"site", read_site_files, {Grammar::json, Grammar::csv}},
      Target{"disassembly", read_disassembly}};
  return kTargets;
}

}  // namespace plumbline::fuzz
