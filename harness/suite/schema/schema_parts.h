/// Pieces of a JSON Schema, draft 7, for the schemas of suites and mappings.
///
/// For suite/ only.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "suite/yaml/reader.h"

namespace plumbline::schema {

using Json = nlohmann::ordered_json;

inline Json reference(const std::string& definition) {
  return {{"$ref", "#/definitions/" + definition}};
}

inline Json any_of(std::initializer_list<Json> choices) {
  Json list = Json::array();
  for (const Json& choice : choices) list.push_back(choice);
  return {{"anyOf", list}};
}

inline Json list_of(const Json& item) {
  return {{"type", "array"}, {"minItems", 1}, {"items", item}};
}

inline Json one_or_list_of(const Json& item) { return any_of({item, list_of(item)}); }

inline Json map_of(const Json& value) {
  return {{"type", "object"}, {"additionalProperties", value}};
}

/// A map with only the keys of the table; `schemas` has one schema for each key.
inline Json closed_map(std::span<const YamlKey> keys, Json schemas,
                       const std::vector<std::string>& required) {
  Json properties = Json::object();
  for (const YamlKey& key : keys) {
    Json schema = {{"description", key.doc}};
    schema.update(schemas.at(std::string(key.name)));
    properties[std::string(key.name)] = std::move(schema);
  }
  Json map = {{"type", "object"}, {"additionalProperties", false}};
  if (!required.empty()) map["required"] = required;
  map["properties"] = std::move(properties);
  return map;
}

/// `scalar`, and `expression` (core/expression/expression.h).
inline Json value_definitions() {
  return {{"scalar", {{"type", {"string", "number", "boolean"}}}},
          {"expression", any_of({{{"type", {"string", "number", "boolean", "null"}}},
                                 {{"type", "array"}, {"items", reference("expression")}}})}};
}

/// The schema of a file, as text.
inline std::string file_schema(const std::string& title, const Json& map, Json definitions) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
  schema.update(map);
  schema["definitions"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

}  // namespace plumbline::schema
