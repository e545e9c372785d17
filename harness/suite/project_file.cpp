#include "suite/project_file.h"

#include <array>
#include <utility>

#include "suite/reader.h"
#include "suite/yaml.h"

namespace plumbline {
namespace {

constexpr std::array kProjectKeys = std::to_array<YamlKey>({
    {"baselines", "folder of accepted runs"},
    {"runs", "folder in which runs are made"},
    {"worker", "the plumbline-worker that measures"},
});

}  // namespace

ProjectFile read_project_file(const std::string& path) {
  const YamlFile file = read_yaml_file(path);
  const YamlPtr root = parse_yaml(file);
  check_keys(*root, kProjectKeys, "plumbline.yaml");
  ProjectFile project;
  for (const auto& [key, member] : {std::pair{"baselines", &ProjectFile::baselines},
                                    {"runs", &ProjectFile::runs},
                                    {"worker", &ProjectFile::worker}})
    if (const YamlEntry* entry = find_entry(*root, key))
      project.*member = read_text(*entry->value, std::string("'") + key + "'");
  return project;
}

}  // namespace plumbline
