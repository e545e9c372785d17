#include "suite/recorded_steps.h"

#include <algorithm>

#include "suite/schema/keys.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

double read_positive(const YamlNode& node, const std::string& what) {
  const double number = read_number(node, what);
  if (number <= 0) fail_on_kind(node, what, "a number above 0");
  return number;
}

std::vector<std::string> phases_of(const std::vector<RecordedStep>& steps) {
  std::vector<std::string> phases;
  for (const RecordedStep& step : steps)
    phases.insert(phases.end(), step.phases.begin(), step.phases.end());
  return phases;
}

}  // namespace

std::vector<RecordedStep> read_steps(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map)
    fail_on_kind(node, "'steps'", "a map: {decode: {phases: [decode], time: 0.004}}");
  std::vector<RecordedStep> steps;
  for (const YamlEntry& entry : node.entries) {
    check_keys(*entry.value, kStepKeys, "the step '" + entry.key + "'");
    RecordedStep step{.name = entry.key, .phases = {}};
    for (const YamlPtr& item : read_items(
             required(*entry.value, "phases", "this step", ": [forward, backward]"), "'phases'")) {
      const std::string phase = read_name(*item, "a phase");
      const std::vector<std::string> taken = phases_of(steps);
      if (std::ranges::count(taken, phase) > 0 || std::ranges::count(step.phases, phase) > 0)
        fail_at(item->at, "the phase '" + phase + "' appears twice; a phase belongs to one step");
      step.phases.push_back(phase);
    }
    if (const YamlEntry* time = find_entry(*entry.value, "time"))
      step.time_s = read_positive(*time->value, "'time'");
    if (const YamlEntry* busy = find_entry(*entry.value, "busy"))
      step.busy_s = read_positive(*busy->value, "'busy'");
    steps.push_back(std::move(step));
  }
  return steps;
}

CallsByPhase read_calls(const YamlNode& node, const std::vector<RecordedStep>& steps) {
  if (node.kind != YamlNode::Kind::map || node.entries.empty())
    fail_on_kind(node, "'calls'", "a map: {forward: 4}, calls by phase in a step");
  const std::vector<std::string> phases = phases_of(steps);
  CallsByPhase calls;
  for (const YamlEntry& entry : node.entries) {
    if (std::ranges::count(phases, entry.key) == 0)
      fail_at(entry.at, "the phase '" + entry.key + "' belongs to none of the suite's 'steps'" +
                            allowed_names(entry.key, phases));
    calls[entry.key] = read_positive(*entry.value, "the calls in '" + entry.key + "'");
  }
  return calls;
}

}  // namespace plumbline
