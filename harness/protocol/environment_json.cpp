#include "protocol/environment_json.h"

#include <string>

#include "core/error.h"

namespace plumbline {

nlohmann::ordered_json environment_json(const Environment& environment) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const EnvironmentField& field : environment_fields())
    if (const std::string text = field.text(environment); !text.empty())
      json[std::string(field.name)] = text;
  return json;
}

Environment environment_of(const nlohmann::ordered_json& json) {
  Environment environment;
  for (const EnvironmentField& field : environment_fields()) {
    const auto found = json.find(std::string(field.name));
    if (found == json.end() || found->is_null()) continue;
    const std::string text = found->get<std::string>();
    if (const auto expected = field.read(text, environment); !expected.empty())
      throw Error("environment." + std::string(field.name) + " of a worker: found '" + text +
                  "', expected " + std::string(expected));
  }
  return environment;
}

}  // namespace plumbline
