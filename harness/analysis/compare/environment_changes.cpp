#include "analysis/compare/environment_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>

#include "core/value.h"

namespace plumbline {
namespace {

std::string option_text(const Policy& policy, const PolicyField& field) {
  if (const auto* whole = std::get_if<std::int64_t Policy::*>(&field.member))
    return std::to_string(policy.*(*whole));
  if (const auto* real = std::get_if<double Policy::*>(&field.member))
    return shortest_text(policy.*(*real));
  return fmt::format(
      "{}", fmt::join(policy.*std::get<std::vector<std::string> Policy::*>(field.member), ", "));
}

/// The entry's text. Of shards that differ in it: "560, 570", or the first three and how many more.
std::string text_of(const EnvironmentField& field, const RunInfo& run) {
  constexpr std::size_t kMostNamed = 3;
  std::set<std::string> values;
  for (const MergedShard& shard : run.shards)
    if (const auto own = shard.environment.find(std::string(field.name));
        own != shard.environment.end() && !own->second.empty())
      values.insert(own->second);
  if (values.empty()) return field.text(run.environment);
  std::string text;
  std::size_t named = 0;
  for (const std::string& value : values)
    if (named++ < kMostNamed) text += (text.empty() ? "" : ", ") + value;
  if (named > kMostNamed) text += fmt::format(" and {} more", named - kMostNamed);
  return text;
}

void add_changes_of_policy(const Policy& baseline, const Policy& candidate,
                           std::vector<EnvironmentChange>& changes) {
  for (const PolicyField& field : policy_fields()) {
    const std::string before = option_text(baseline, field), now = option_text(candidate, field);
    if (before != now)
      changes.push_back({"policy." + std::string(field.name), "option " + std::string(field.name),
                         "harness", before, now});
  }
}

void add_changes_of_variables(const std::map<std::string, std::string>& baseline,
                              const std::map<std::string, std::string>& candidate,
                              std::vector<EnvironmentChange>& changes) {
  std::map<std::string, std::array<std::string, 2>> values;
  for (const auto& [name, value] : baseline) values[name][0] = value;
  for (const auto& [name, value] : candidate) values[name][1] = value;
  for (const auto& [name, sides] : values)
    if (sides[0] != sides[1])
      changes.push_back({"variable." + name, "variable " + name, "subject", sides[0], sides[1]});
}

void add_changes_of_suites(const std::vector<SuiteRef>& baseline,
                           const std::vector<SuiteRef>& candidate,
                           std::vector<EnvironmentChange>& changes) {
  for (const SuiteRef& before : baseline)
    for (const SuiteRef& now : candidate) {
      if (before.name != now.name) continue;
      if (before.hash != now.hash)
        changes.push_back(
            {"suite." + now.name, "suite file " + now.name, "subject", before.hash, now.hash});
      for (const FileRef& then : before.sources)
        for (const FileRef& today : now.sources)
          if (then.path == today.path && then.hash != today.hash)
            changes.push_back({"source." + today.path, "source file " + today.path, "subject",
                               then.hash, today.hash});
    }
}

}  // namespace

std::vector<EnvironmentChange> environment_changes(const RunInfo& baseline,
                                                   const RunInfo& candidate) {
  static constexpr std::array<const char*, 5> kKinds{"identity", "environment", "subject",
                                                     "harness", "note"};
  std::vector<EnvironmentChange> changes;
  for (const EnvironmentField& field : environment_fields()) {
    if (field.kind == EnvironmentKind::note) continue;
    const std::string before = text_of(field, baseline), now = text_of(field, candidate);
    if (before != now)
      changes.push_back({std::string(field.name), std::string(field.label),
                         kKinds[static_cast<std::size_t>(field.kind)], before, now});
  }
  add_changes_of_policy(baseline.policy, candidate.policy, changes);
  add_changes_of_variables(baseline.variables, candidate.variables, changes);
  add_changes_of_suites(baseline.suites, candidate.suites, changes);
  return changes;
}

}  // namespace plumbline
