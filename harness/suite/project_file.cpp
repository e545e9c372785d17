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
});

}  // namespace

ProjectFile read_project_file(const std::string& path) {
  const YamlFile file = read_yaml_file(path);
  const YamlPtr root = parse_yaml(file);
  check_keys(*root, kProjectKeys, "plumbline.yaml");
  ProjectFile project;
  for (const auto& [key, member] : {std::pair{"baselines", &ProjectFile::baselines},
                                    {"runs", &ProjectFile::runs},
                                    {"worker", &ProjectFile::worker},
                                    {"build", &ProjectFile::build}})
    if (const YamlEntry* entry = find_entry(*root, key))
      project.*member = read_text(*entry->value, std::string("'") + key + "'");
  if (const YamlEntry* entry = find_entry(*root, "suites"))
    for (const YamlPtr& item : read_items(entry->value, "'suites'"))
      project.suites.push_back(read_text(*item, "an item of 'suites'"));
  return project;
}

}  // namespace plumbline
