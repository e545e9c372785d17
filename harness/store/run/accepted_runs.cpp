#include "store/run/accepted_runs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/run/case.h"
#include "store/file.h"
#include "store/run/baseline_row.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

void read_rows(const RunFiles& files, AcceptedRuns& accepted) {
  std::vector<Run>& runs = accepted.runs;
  CsvReader reader(files.csv);
  const ColumnBinding<BaselineRow> binding(reader, baseline_columns(), files.csv);
  while (reader.next()) {
    const BaselineRow row = binding.parse(reader);
    if (std::size_t(row.run) > runs.size())
      reader.fail(binding.position("run"), std::to_string(row.run),
                  "a number up to " + std::to_string(runs.size()) + ", as the JSON lists runs");
    expand(row, accepted.suite, runs[std::size_t(row.run - 1)]);
  }
  if (reader.torn()) throw Error(*reader.torn() + "; the file is damaged: restore it");
}

/// Rows of all runs, by case, metric and run. Kernels and plans are kept only of a case's newest
/// run.
std::vector<BaselineRow> sorted_rows(const std::vector<Run>& runs) {
  std::vector<BaselineRow> rows;
  std::set<std::string> explained;
  for (std::size_t i = runs.size(); i-- > 0;)
    for (const CaseRows& found : rows_by_case(runs[i])) {
      const bool is_newest = explained.emplace(found.case_id).second;
      for (BaselineRow& row : reduced(found, runs[i].info.environment.device_uuid())) {
        row.run = std::int64_t(i + 1);
        if (!is_newest) {
          row.kernels.clear();
          row.plan.clear();
        }
        rows.push_back(std::move(row));
      }
    }
  std::ranges::stable_sort(
      rows, {}, [](const BaselineRow& row) { return std::tie(row.case_id, row.metric, row.run); });
  return rows;
}

using RunOfCase = std::map<CaseKey, std::size_t>;

/// The devices of a candidate.
struct Devices {
  std::string all;                         // UUIDs; "" if nothing is judged
  std::map<CaseKey, std::string> of_case;  // where there are several
};

/// For each case, the run that counts.
RunOfCase runs_that_count(const std::vector<Run>& runs, const Devices& devices) {
  RunOfCase newest, own;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string whole = runs[i].info.environment.device_uuid();
    for (const ResultRow& row : runs[i].rows) {
      const CaseKey key{row.suite, row.case_id};
      newest[key] = i;
      const auto known = devices.of_case.find(key);
      const bool is_own = known == devices.of_case.end()
                              ? whole == devices.all
                              : (row.device.empty() ? whole : row.device) == known->second;
      if (is_own) own[key] = i;
    }
  }
  own.merge(newest);
  return own;
}

}  // namespace

AcceptedRuns read_accepted(const std::string& path) {
  const RunFiles files = files_of(path);
  RunFile file = read_run_json(files.json);
  AcceptedRuns accepted{files.path(), file.suite, {}};
  if (file.accepted.empty()) {
    accepted.runs.push_back(read_run(path));
    accepted.suite = accepted.runs.front().rows.empty() ? "" : accepted.runs.front().rows[0].suite;
    return accepted;
  }
  for (RunInfo& info : file.accepted)
    accepted.runs.push_back({std::move(info), {}, files.path(), {}});
  read_rows(files, accepted);
  return accepted;
}

void write_accepted(const AcceptedRuns& accepted) {
  const std::span<const CsvColumn<BaselineRow>> columns = baseline_columns();
  std::string text = header_of(columns);
  for (const BaselineRow& row : sorted_rows(accepted.runs)) append_fields(columns, row, text);
  std::vector<const RunInfo*> infos;
  for (const Run& run : accepted.runs) infos.push_back(&run.info);
  ContentHash hash;
  hash.add(text);
  const std::string json =
      end_of_links(fs::path(accepted.path).replace_extension(".json").string()).string();
  // If this is stopped before the CSV is replaced, readers find the old baseline, else the new one.
  write_atomically(
      json + kNextJson,
      baseline_json_text(accepted.suite, infos, ResultsSeal{hash.size_bytes(), hash.text()}));
  try {
    write_atomically(accepted.path, text);
  } catch (const Error&) {
    std::error_code ignored;
    fs::remove(json + kNextJson, ignored);
    throw;
  }
  rename_durably(json + kNextJson, json);
}

namespace {

/// What a record of several runs needs of one of them (analysis/variance/case_machines.h).
MergedShard part_of(const RunInfo& info) {
  MergedShard part;
  part.started_at = info.started_at;
  part.finished_at = info.finished_at;
  part.device_uuids = info.environment.device_uuids;
  part.calibration = info.calibration;
  for (const EnvironmentField& field : environment_fields())
    if (field.kind == EnvironmentKind::environment && field.name != "device_uuid")
      part.environment[std::string(field.name)] = field.text(info.environment);
  return part;
}

/// Names the devices of all runs that count, the oldest run first.
void name_devices(const std::vector<Run>& runs, const std::set<std::size_t>& used, RunInfo& whole) {
  std::vector<MergedShard> parts;
  std::set<std::string> devices;
  for (const std::size_t i : used) {
    const RunInfo& info = runs[i].info;
    devices.insert(info.environment.device_uuids.begin(), info.environment.device_uuids.end());
    if (info.shards.empty()) parts.push_back(part_of(info));
    parts.insert(parts.end(), info.shards.begin(), info.shards.end());
  }
  whole.shards = std::move(parts);
  whole.environment.device_uuids.assign(devices.begin(), devices.end());
}

Baseline baseline_for(AcceptedRuns accepted, const Devices& devices) {
  std::vector<Run>& runs = accepted.runs;
  if (runs.size() == 1) return {std::move(runs.front()), {}};
  const RunOfCase counts = runs_that_count(runs, devices);
  std::set<std::size_t> used;
  for (const auto& [case_id, run] : counts) used.insert(run);
  const auto is_own = [&](std::size_t i) {
    return runs[i].info.environment.device_uuid() == devices.all;
  };
  // The info of the whole: the newest run on the device, else the newest.
  std::size_t first = used.empty() ? runs.size() - 1 : *used.rbegin();
  for (const std::size_t i : used)
    if (is_own(i)) first = i;
  Baseline made;
  made.run.info = runs[first].info;
  made.run.path = accepted.path;
  if (!devices.of_case.empty() && used.size() > 1) name_devices(runs, used, made.run.info);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Run other{runs[i].info, {}, accepted.path, {}};
    for (ResultRow& row : runs[i].rows)
      (counts.at({row.suite, row.case_id}) == i ? made.run : other).rows.push_back(std::move(row));
    for (std::string& warning : runs[i].warnings) made.run.warnings.push_back(std::move(warning));
    if (!other.rows.empty()) made.others.push_back(std::move(other));
  }
  return made;
}

}  // namespace

Baseline baseline_of(AcceptedRuns accepted, const std::string& device) {
  return baseline_for(std::move(accepted), {device, {}});
}

Baseline baseline_of(AcceptedRuns accepted, const Run& candidate) {
  Devices devices{candidate.info.environment.device_uuid(), {}};
  if (candidate.info.environment.device_uuids.size() > 1)
    for (const ResultRow& row : candidate.rows)
      devices.of_case[{row.suite, row.case_id}] = row.device;
  return baseline_for(std::move(accepted), devices);
}

}  // namespace plumbline
