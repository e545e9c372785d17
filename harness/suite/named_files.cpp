#include "suite/named_files.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace plumbline {
namespace {

constexpr std::array<std::string_view, 5> kKeys{"source", "library", "metadata", "graph",
                                                "reference_source"};

void add_named(const YamlNode& node, std::vector<std::string>& names) {
  for (const YamlPtr& item : node.items) add_named(*item, names);
  for (const YamlEntry& entry : node.entries) {
    const YamlNode& value = *entry.value;
    const bool names_file =
        std::ranges::count(kKeys, entry.key) > 0 && value.kind == YamlNode::Kind::scalar;
    if (names_file && !value.text.empty() && std::ranges::count(names, value.text) == 0)
      names.push_back(value.text);
    add_named(value, names);
  }
}

}  // namespace

std::vector<std::string> named_files(const YamlFile& suite) {
  std::vector<std::string> names;
  add_named(*parse_yaml(suite), names);
  return names;
}

}  // namespace plumbline
