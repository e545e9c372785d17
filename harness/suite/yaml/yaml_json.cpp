#include "suite/yaml/yaml_json.h"

#include <nlohmann/json.hpp>
#include <variant>

namespace plumbline {

using Json = nlohmann::json;

Json to_json(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return nullptr;
    case YamlNode::Kind::scalar:
      return std::visit([](const auto& value) { return Json(value); }, node.value);
    case YamlNode::Kind::list: {
      Json list = Json::array();
      for (const YamlPtr& item : node.items) list.push_back(to_json(*item));
      return list;
    }
    case YamlNode::Kind::map:
      break;
  }
  Json map = Json::object();
  for (const YamlEntry& entry : node.entries) map[entry.key] = to_json(*entry.value);
  return map;
}

}  // namespace plumbline
