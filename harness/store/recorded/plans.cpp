#include "store/recorded/plans.h"

#include <nlohmann/json.hpp>

namespace plumbline {

std::vector<PlanRecord> plans_of(std::string_view text) {
  using Json = nlohmann::json;
  std::vector<PlanRecord> plans;
  if (text.empty()) return plans;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_array()) return plans;
  const auto word = [](const Json& item, const char* key) {
    const auto found = item.find(key);
    return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto number = [](const Json& item, const char* key) {
    const auto found = item.find(key);
    return found != item.end() && found->is_number() ? found->get<double>() : kUnknown;
  };
  for (const Json& item : json)
    if (item.is_object())
      plans.push_back({word(item, "graph"), word(item, "plan"), number(item, "index"),
                       number(item, "workspace")});
  return plans;
}

}  // namespace plumbline
