#include <array>

#include "fuzz/targets.h"
#include "import/attached/cases.h"
#include "import/attached/records.h"
#include "import/import.h"
#include "import/import_mapping_file.h"

namespace plumbline::fuzz {
namespace {

/// A mapping and a table.
void read_table(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 2);
  const ImportMapping mapping = read_import_mapping(written(folder, "mapping.yaml", files[0]));
  import_csv(written(folder, "table.csv", files[1]), mapping);
}

/// A mapping and JSON lines; a document of one line is also read as JSON.
void read_json_lines(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 2);
  const ImportMapping mapping = read_import_mapping(written(folder, "mapping.yaml", files[0]));
  const std::string path = written(folder, "results.json", files[1]);
  if (files[1].find('\n') + 1 >= files[1].size())
    import_json(path, mapping);
  else
    import_json_lines(path, mapping);
}

/// NVBench's JSON, and the samples beside it.
void read_nvbench_samples(std::string_view input, const std::string& folder) {
  const std::vector<std::string> files = parts(input, 2);
  written(folder, "nvbench.json-bin/0.bin", files[1]);
  import_nvbench({written(folder, "nvbench.json", files[0])});
}

/// The lines of --map.
void read_assignments(std::string_view input, const std::string&) {
  std::vector<std::string> lines = parts(input, 50, "\n");
  std::erase(lines, "");
  import_mapping_of(lines);
}

void read_gbench(std::string_view input, const std::string& folder) {
  import_gbench({written(folder, "gbench.json", input)}, {"nvidia-h200", ""});
}

void read_nvbench(std::string_view input, const std::string& folder) {
  import_nvbench({written(folder, "nvbench.json", input)});
}

/// A file of a program under `plumbline attach`, and the cases of it.
void read_attached_program(std::string_view input, const std::string& folder) {
  AttachedVisit visit;
  visit.processes = {read_attached(written(folder, "1.records", input))};
  AttachedFacts facts;
  cases_of(visit, "app", facts);
  notes_of(facts);
  why_nothing_ran(visit.processes);
}

}  // namespace

std::span<const Target> import_targets() {
  static constexpr std::array kTargets = {
      Target{"table", read_table, {Grammar::yaml, Grammar::csv}},
      Target{"assignments", read_assignments},
      Target{"gbench", read_gbench, {Grammar::json}},
      Target{"nvbench", read_nvbench, {Grammar::json}},
      Target{"json_table", read_json_lines, {Grammar::yaml, Grammar::json}},
      Target{"nvbench_samples", read_nvbench_samples, {Grammar::json, Grammar::bytes}},
      Target{"attached", read_attached_program}};
  return kTargets;
}

}  // namespace plumbline::fuzz
