#include "suite/schema/schema_parts.h"
#include "workflow/fleet/rule_file.h"
#include "workflow/fleet/rule_keys.h"

namespace plumbline {
namespace {

using namespace schema;

Json pattern_text() { return {{"type", {"string", "number", "boolean"}}, {"minLength", 1}}; }

Json rule() {
  Json entries = Json::array();
  for (const EnvironmentField& field : environment_fields()) entries.push_back(field.name);
  Json schemas = {
      {"name", {{"type", "string"}}},
      {"class", pattern_text()},
      {"family", pattern_text()},
      {"slower_than_class", {{"type", "string"}, {"pattern", "^[0-9.]*[1-9][0-9.]* *%$"}}},
      {"differs_from_class", {{"enum", entries}}},
      {"not_measured", {{"const", true}}},
      {"action", {{"enum", {"drain", "watch"}}}},
      {"if_unknown", {{"enum", {"report", "ignore"}}}}};
  Json conditions = Json::array();
  for (const char* key : {"slower_than_class", "differs_from_class", "not_measured"})
    conditions.push_back({{"required", {key}}});
  for (const FleetFact& fact : fleet_facts()) {
    const std::string name(fact.name);
    schemas[name] = fact.is_flag ? Json{{"type", "boolean"}}
                                 : Json{{"type", "string"},
                                        {"pattern", "^(>=|<=|==|!=|>|<) *-?[0-9.]+(e-?[0-9]+)?$"}};
    conditions.push_back({{"required", {name}}});
  }
  Json map = closed_map(fleet_rule_keys(), std::move(schemas), {"action"});
  map["anyOf"] = std::move(conditions);
  map["dependencies"] = {{"family", {"slower_than_class"}}};
  return map;
}

}  // namespace

std::string fleet_rules_schema_json() {
  return file_schema("Plumbline rules of a fleet",
                     closed_map(kFleetFileKeys, {{"rules", list_of(reference("rule"))}}, {"rules"}),
                     {{"rule", rule()}});
}

}  // namespace plumbline
