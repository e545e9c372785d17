#include "workflow/shards/merged_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/moment.h"
#include "core/words.h"
#include "store/json/describe.h"
#include "workflow/setup/run_plan.h"

namespace plumbline {
namespace {

/// The names of the runs that have a value.
using RunsByValue = std::map<std::string, std::vector<std::string>>;

constexpr std::size_t kMostNamed = 10;

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

/// "commit: 'a' in most, 'b' in s3"; "" if all runs have one value.
std::string difference(const std::string& what, const RunsByValue& values) {
  if (values.size() < 2) return "";
  std::vector<std::pair<std::string, std::vector<std::string>>> sorted(values.begin(),
                                                                       values.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const auto& value) { return value.second.size(); });
  std::string text = "the shards differ in " + what + ":";
  for (const auto& [value, runs] : sorted)
    text +=
        fmt::format("\n  {} in {}", value.empty() ? "none" : "'" + value + "'", list_text(runs));
  return text;
}

std::string text_of_policy(const Policy& policy) { return JsonWriter::encode(policy).dump(); }

std::string text_of_variables(const RunInfo& info) {
  std::string text;
  for (const auto& [name, value] : info.variables)
    text += (text.empty() ? "" : " ") + name + '=' + value;
  return text;
}

std::string text_of_suites(const RunInfo& info) {
  std::string text;
  for (const SuiteRef& suite : info.suites)
    text += (text.empty() ? "" : ", ") + suite.name + " (hash " + suite.hash + ")";
  return text;
}

struct Common {
  const char* what;
  std::string (*text)(const RunInfo& info);
};

constexpr Common kCommon[]{
    {"number of shards",
     [](const RunInfo& info) {
       const auto number = shard_number(info.shard);
       return number ? std::to_string(number->count) : "";
     }},
    {"suites", text_of_suites},
    {"flags", [](const RunInfo& info) { return shell_command(flags_of(info)); }},
    {"policy", [](const RunInfo& info) { return text_of_policy(info.policy); }},
    {"variables of the worker", text_of_variables},
    {"the run that they are balanced by", [](const RunInfo& info) { return info.balanced_by; }},
    {"number of selected cases",
     [](const RunInfo& info) { return std::to_string(info.selected_cases); }},
    {"measurement revision",
     [](const RunInfo& info) { return std::to_string(info.measurement_revision); }},
    {"version of Plumbline", [](const RunInfo& info) { return info.plumbline; }}};

/// Whether shards with different entries measured different things. The rest (driver, host, clocks,
/// the tree in which this program was built; the worker's hash says what measured) may differ from
/// node to node and is recorded for each shard.
bool must_match(const EnvironmentField& field) {
  return field.kind == EnvironmentKind::identity || field.kind == EnvironmentKind::subject;
}

/// A run records only the files that its own cases use.
void add_file_differences(const std::vector<FoundRun>& shards, std::vector<std::string>& found) {
  std::map<std::string, RunsByValue> files;
  for (const FoundRun& shard : shards)
    for (const SuiteRef& suite : shard.file.info.suites)
      for (const FileRef& file : suite.sources) {
        auto& runs = files[file.path][file.hash];
        if (runs.empty() || runs.back() != shard.path) runs.push_back(shard.path);
      }
  for (const auto& [path, values] : files)
    if (std::string text = difference("file " + path + " (hash)", values); !text.empty())
      found.push_back(std::move(text));
}

}  // namespace

std::vector<std::string> differences(const std::vector<FoundRun>& shards) {
  std::vector<std::string> found;
  const auto check = [&](const std::string& what, const auto& text_of_run) {
    RunsByValue values;
    for (const FoundRun& shard : shards) values[text_of_run(shard.file.info)].push_back(shard.path);
    if (std::string text = difference(what, values); !text.empty()) found.push_back(text);
  };
  for (const Common& common : kCommon) check(common.what, common.text);
  for (const EnvironmentField& field : environment_fields())
    if (must_match(field))
      check(std::string(field.label),
            [&](const RunInfo& info) { return field.text(info.environment); });
  add_file_differences(shards, found);
  return found;
}

namespace {

/// The command without its shard, and without what concerns this shard's folder alone.
std::vector<std::string> whole_command(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    const bool has_value = word == "--shard" || word == "-o" || word == "--output";
    if (has_value) ++i;
    if (has_value || word == "--resume" || word.starts_with("--shard=") ||
        word.starts_with("--output="))
      continue;
    words.push_back(word);
  }
  return words;
}

/// Keeps what all shards have in common; the rest goes to their own records.
void split_environment(const std::vector<FoundRun>& shards, RunInfo& whole) {
  std::vector<std::string> devices;
  for (const FoundRun& shard : shards)
    for (const std::string& uuid : shard.file.info.environment.device_uuids)
      if (std::ranges::find(devices, uuid) == devices.end()) devices.push_back(uuid);
  std::ranges::sort(devices);
  for (const EnvironmentField& field : environment_fields()) {
    if (field.name == "device_uuid") continue;
    const std::string first = field.text(shards.front().file.info.environment);
    const bool is_common = std::ranges::all_of(shards, [&](const FoundRun& shard) {
      return field.text(shard.file.info.environment) == first;
    });
    if (is_common) continue;
    for (std::size_t i = 0; i < shards.size(); ++i)
      whole.shards[i].environment[std::string(field.name)] =
          field.text(shards[i].file.info.environment);
    field.read("", whole.environment);
  }
  whole.environment.device_uuids = std::move(devices);
}

void add_files(const std::vector<FileRef>& files, std::vector<FileRef>& all) {
  for (const FileRef& file : files)
    if (std::ranges::find(all, file.path, &FileRef::path) == all.end()) all.push_back(file);
}

/// Joins what each shard records of its own cases, in the order of declaration.
SuiteRef merged_suite(const std::vector<FoundRun>& shards, std::size_t index) {
  SuiteRef whole = shards.front().file.info.suites[index];
  std::vector<std::pair<std::int64_t, std::string>> cases;
  bool has_positions = false;
  for (const FoundRun& shard : shards) {
    const SuiteRef& part = shard.file.info.suites[index];
    has_positions |= !part.positions.empty();
    for (std::size_t i = 0; i < part.cases.size() && i < part.positions.size(); ++i)
      cases.emplace_back(part.positions[i], part.cases[i]);
    whole.thresholds.insert(part.thresholds.begin(), part.thresholds.end());
    whole.calls.insert(part.calls.begin(), part.calls.end());
    add_files(part.sources, whole.sources);
  }
  if (!has_positions) return whole;  // an earlier Plumbline recorded all cases in every shard
  std::ranges::sort(cases);
  whole.positions.clear();
  whole.cases.clear();
  for (auto& [position, id] : cases) whole.cases.push_back(std::move(id));
  return whole;
}

MergedShard record_of(const FoundRun& shard) {
  const RunInfo& info = shard.file.info;
  std::filesystem::path folder = std::filesystem::absolute(shard.path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  return {info.shard,
          folder.filename().string(),
          info.started_at,
          info.finished_at,
          shard.file.results ? shard.file.results->hash : "",
          info.environment.device_uuids,
          {},
          info.calibration};
}

}  // namespace

RunInfo merged_info(const std::vector<FoundRun>& shards) {
  RunInfo whole = shards.front().file.info;
  whole.command = whole_command(whole.command);
  whole.shard.clear();
  whole.planned_visits = 0;
  whole.workers.clear();
  whole.expected.clear();
  std::set<std::string> redacted;
  for (const FoundRun& shard : shards) {
    const RunInfo& info = shard.file.info;
    if (moment_of(info.started_at) < moment_of(whole.started_at))
      whole.started_at = info.started_at;
    if (moment_of(info.finished_at) > moment_of(whole.finished_at))
      whole.finished_at = info.finished_at;
    whole.planned_visits += info.planned_visits;
    std::ranges::copy(info.workers, std::back_inserter(whole.workers));
    for (const ExpectedFailure& expected : info.expected)
      if (std::ranges::find(whole.expected, expected) == whole.expected.end())
        whole.expected.push_back(expected);
    redacted.insert(info.redacted.begin(), info.redacted.end());
    whole.shards.push_back(record_of(shard));
    if (whole.asked && info.asked && whole.asked->device != info.asked->device)
      whole.asked->device.clear();
  }
  whole.redacted.assign(redacted.begin(), redacted.end());
  split_environment(shards, whole);
  for (std::size_t i = 0; i < whole.suites.size(); ++i) whole.suites[i] = merged_suite(shards, i);
  return whole;
}

}  // namespace plumbline
