#include "fuzz/mutation/words.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "import/import_mapping_schema.h"
#include "ops/catalogue.h"
#include "protocol/schema.h"
#include "store/csv/columns.h"
#include "suite/schema/schema.h"
#include "workflow/fleet/rule_file.h"

namespace plumbline::fuzz {
namespace {

/// Walks through a JSON Schema.
void collect(const nlohmann::json& schema, Words& words) {
  if (schema.is_array())
    for (const nlohmann::json& part : schema) collect(part, words);
  if (!schema.is_object()) return;
  for (const auto& [name, part] : schema.items()) {
    if (name == "properties" && part.is_object())
      for (const auto& [key, described] : part.items()) words.keys.push_back(key);
    if (name == "enum")
      for (const nlohmann::json& value : part)
        if (value.is_string()) words.values.push_back(value);
    if ((name == "const" || name == "default") && part.is_string()) words.values.push_back(part);
    collect(part, words);
  }
}

void keep_one_of_each(std::vector<std::string>& words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

Words words_of(std::initializer_list<std::string> schemas) {
  Words words;
  for (const std::string& schema : schemas) collect(nlohmann::json::parse(schema), words);
  keep_one_of_each(words.keys);
  keep_one_of_each(words.values);
  return words;
}

Words words_of_results() {
  Words words = words_of({protocol_schema_json()});  // statuses, metrics, flags
  words.keys.clear();
  for (const auto& column : result_columns()) words.keys.emplace_back(column.name);
  return words;
}

}  // namespace

const Words& yaml_words() {
  static const Words words = words_of({suite_schema_json(make_catalogue()),
                                       import_mapping_schema_json(), fleet_rules_schema_json()});
  return words;
}

const Words& json_words() {
  static const Words words = words_of({protocol_schema_json()});
  return words;
}

const Words& csv_words() {
  static const Words words = words_of_results();
  return words;
}

}  // namespace plumbline::fuzz
