#include "suite/project_file.h"

#include <array>
#include <utility>

#include "suite/yaml/reader.h"
#include "suite/yaml/yaml.h"

namespace plumbline {
namespace {

constexpr std::array kProjectKeys = std::to_array<YamlKey>({
    {"baselines", "folder of accepted runs"},
    {"runs", "folder in which runs are made"},
    {"worker", "the plumbline-worker that measures"},
    {"suites", "suites that commands take where none is named"},
    {"build", "command that makes what the suites measure"},
    {"device", "device that measures, as --device takes it"},
    {"history", "true: comparisons learn from earlier runs what each case varies by"},
    {"thresholds", "which changes count: margin, threshold, false_discovery_rate"},
    {"slurm", "how `submit slurm` starts jobs: partition, account, time, gres, modules and others"},
});

constexpr std::array kThresholdsKeys = std::to_array<YamlKey>({
    {"margin", "SAME is an interval inside of ± this share"},
    {"threshold", "smallest change that is called SLOWER or FASTER"},
    {"false_discovery_rate", "share of false alarms among alarms"},
});

double read_share(const YamlNode& node, const std::string& what) {
  const auto percent = number_of_percent(node);
  const double share = percent ? *percent / 100 : read_number(node, what);
  if (!(share > 0 && share < 1)) fail_on_kind(node, what, "a share such as 2% or 0.02");
  return share;
}

bool read_yes(const YamlNode& node, const std::string& what) {
  const auto* const yes = std::get_if<bool>(&node.value);
  if (node.kind != YamlNode::Kind::scalar || !yes) fail_on_kind(node, what, "true or false");
  return *yes;
}

Thresholds read_thresholds(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map)
    fail_on_kind(node, "'thresholds'", "a map such as {margin: 2%, threshold: 1%}");
  check_keys(node, kThresholdsKeys, "'thresholds'");
  Thresholds thresholds;
  for (const auto& [key, member] : {std::pair{"margin", &Thresholds::margin},
                                    {"threshold", &Thresholds::threshold},
                                    {"false_discovery_rate", &Thresholds::false_discovery_rate}})
    if (const YamlEntry* entry = find_entry(node, key))
      thresholds.*member = read_share(*entry->value, std::string("'") + key + "'");
  return thresholds;
}

constexpr std::array kThresholdMembers{&Thresholds::margin, &Thresholds::threshold,
                                       &Thresholds::false_discovery_rate};

}  // namespace

Thresholds with_defaults(Thresholds first, const Thresholds& others) {
  for (const auto member : kThresholdMembers)
    if (!(first.*member)) first.*member = others.*member;
  return first;
}

ProjectFile read_project_file(const std::string& path) {
  const YamlFile file = read_yaml_file(path);
  const YamlPtr root = parse_yaml(file);
  check_keys(*root, kProjectKeys, "plumbline.yaml");
  ProjectFile project;
  for (const auto& [key, member] : {std::pair{"baselines", &ProjectFile::baselines},
                                    {"runs", &ProjectFile::runs},
                                    {"worker", &ProjectFile::worker},
                                    {"build", &ProjectFile::build},
                                    {"device", &ProjectFile::device}})
    if (const YamlEntry* entry = find_entry(*root, key))
      project.*member = read_text(*entry->value, std::string("'") + key + "'");
  if (const YamlEntry* entry = find_entry(*root, "suites"))
    for (const YamlPtr& item : read_items(entry->value, "'suites'"))
      project.suites.push_back(read_text(*item, "an item of 'suites'"));
  if (const YamlEntry* entry = find_entry(*root, "history"))
    project.history = read_yes(*entry->value, "'history'");
  if (const YamlEntry* entry = find_entry(*root, "thresholds"))
    project.thresholds = read_thresholds(*entry->value);
  if (const YamlEntry* entry = find_entry(*root, "slurm"))
    project.slurm = read_slurm_settings(*entry->value);
  return project;
}

}  // namespace plumbline
