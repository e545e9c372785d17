#include "import/import_mapping_schema.h"

#include "core/run/direction.h"
#include "core/run/environment.h"
#include "import/import_mapping_keys.h"
#include "suite/schema/schema_parts.h"

namespace plumbline {
namespace {

using namespace schema;

/// A map with any names and at least one entry.
Json filled_map_of(const Json& value) {
  Json map = map_of(value);
  map["minProperties"] = 1;
  return map;
}

Json metric() {
  std::vector<std::string_view> units;
  for (const ScaledUnit& unit : scaled_units()) units.push_back(unit.name);
  Json unit = {{"enum", units}};
  unit["enum"].push_back(1);  // a number, so it needs no quotes
  return closed_map(kMappedMetricKeys,
                    {{"column", reference("scalar")},
                     {"unit", unit},
                     {"separator", reference("scalar")},
                     {"better", {{"enum", kBetterNames}}},
                     {"replaces", reference("scalar")},
                     {"absent", reference("scalar")}},
                    {"column", "unit"});
}

Json environment() {
  Json entries = Json::object();
  for (const EnvironmentField& field : environment_fields()) {
    entries[std::string(field.name)] = {{"description", field.label}};
    entries[std::string(field.name)].update(reference("pattern"));
  }
  return {{"type", "object"},
          {"minProperties", 1},
          {"additionalProperties", false},
          {"properties", entries}};
}

Json repeats() {
  Json names = Json::array();
  for (const RepeatsKey& key : kRepeats) names.push_back(key.name);
  return {{"enum", names}};
}

Json table() {
  return closed_map(kValueTableKeys,
                    {{"of", reference("scalar")},
                     {"is", filled_map_of(reference("scalar"))},
                     {"else", reference("scalar")}},
                    {"of", "is"});
}

Json mapping() {
  const Json pattern = reference("pattern");
  const Json expression = reference("expression");
  return closed_map(
      kMappingKeys,
      {{"suite", pattern},
       {"source", reference("scalar")},
       {"op", pattern},
       {"backend", pattern},
       {"device", pattern},
       {"revision", pattern},
       {"params", filled_map_of(pattern)},
       {"metrics", filled_map_of(metric())},
       {"cost", closed_map(kMappedCostKeys, {{"flops", expression}, {"bytes", expression}}, {})},
       {"where", expression},
       {"environment", environment()},
       {"tables", filled_map_of(table())},
       {"repeats", repeats()},
       {"status", pattern},
       {"reason", pattern},
       {"batch", pattern},
       {"axes", {{"type", "string"}, {"pattern", "^([^*]*\\.)?\\*$"}}},
       {"rows", {{"type", "string"}, {"pattern", "^[^.]+(\\.[^.]+)*$"}}},
       {"delimiter", {{"type", "string"}, {"minLength", 1}, {"maxLength", 1}}},
       {"columns", filled_map_of({{"type", "integer"}, {"minimum", 1}})},
       {"melt", filled_map_of(pattern)}},
      {"suite", "op", "backend", "metrics"});
}

Json definitions() {
  Json all = {{"pattern",
               {{"description", "$column or ${any column}: the row's value; $$ is a dollar"},
                {"type", {"string", "number", "boolean"}},
                {"pattern", "^([^$]|\\$\\$|\\$[A-Za-z0-9_]+|\\$\\{[^}]+\\})+$"}}}};
  all.update(value_definitions());
  return all;
}

}  // namespace

std::string import_mapping_schema_json() {
  return file_schema("Plumbline import mapping", mapping(), definitions());
}

}  // namespace plumbline
