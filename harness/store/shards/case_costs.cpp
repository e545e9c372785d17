#include "store/shards/case_costs.h"

#include <algorithm>

#include "core/error.h"
#include "store/csv/columns.h"
#include "store/run/run_json.h"

namespace plumbline {
namespace {

/// Phases that are parts of other phases.
constexpr std::string_view kParts[] = {"launch", "load", "verify repeats"};

std::size_t column_of(const CsvReader& reader, std::string_view name, const std::string& path) {
  const auto found = std::ranges::find(reader.header(), name);
  if (found == reader.header().end())
    throw Error(path + ": header: column " + std::string(name) +
                " is missing, so what each case took is not known");
  return std::size_t(found - reader.header().begin());
}

double whole(const NamedSeconds& spent) {
  double sum = 0;
  for (const auto& [phase, seconds] : spent)
    if (std::ranges::find(kParts, phase) == std::end(kParts) && seconds > 0) sum += seconds;
  return sum;
}

}  // namespace

RunCosts read_case_costs(const std::string& run_directory) {
  const RunFile file = read_run_json(run_directory + "/run.json");
  if (file.info.finished_at.empty())
    throw Error(run_directory + ": the run is not finished, so its times may still change");
  const std::string path = run_directory + "/results.csv";
  CsvReader reader(path);
  const std::size_t suite = column_of(reader, "suite", path), id = column_of(reader, "case", path),
                    device = column_of(reader, "device", path),
                    part = column_of(reader, "part", path),
                    spent = column_of(reader, "spent", path);
  RunCosts found;
  while (reader.next()) {
    if (!reader.field(part).starts_with("1/")) continue;  // the rows of a visit repeat it
    NamedSeconds phases;
    if (const auto expected = parse_field(reader.field(spent), phases); !expected.empty())
      reader.fail(spent, shown(reader.field(spent)), expected);
    if (phases.empty()) continue;
    CaseCost& cost = found.costs[{std::string(reader.field(suite)), std::string(reader.field(id))}];
    cost.seconds += whole(phases);
    cost.device = reader.field(device);
  }
  if (reader.torn()) throw Error(*reader.torn() + "; the file is damaged: restore it");
  found.hash = reader.hash().text();
  if (found.costs.empty())
    throw Error(path + ": no case has a time in column spent; name a run that was measured");
  return found;
}

}  // namespace plumbline
