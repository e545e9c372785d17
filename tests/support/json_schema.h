/// A JSON Schema in a test: finds mistakes in a YAML file, and compares the shipped schema with the
/// generated one.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "suite/yaml/yaml_json.h"

namespace plumbline {

class JsonSchema {
 public:
  explicit JsonSchema(const std::string& text) {
    const nlohmann::json parsed = nlohmann::json::parse(text);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(Adapter(parsed), schema_);
  }

  /// The schema's complaint about a file, "" if none.
  std::string mistake(const std::filesystem::path& path) const {
    return mistake_in(read_yaml_file(path.string()));
  }

  /// The same for a file that is already read.
  std::string mistake_in(const YamlFile& file) const {
    return mistake_in(nlohmann::json(to_json(*parse_yaml(file))));
  }

  /// The same for JSON.
  std::string mistake_in(const nlohmann::json& document) const {
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(schema_, Adapter(document), &results)) return "";
    std::string text;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
      for (const std::string& part : error.context) text += part;
      text += ": " + error.description + '\n';
    }
    return text;
  }

 private:
  using Adapter = valijson::adapters::NlohmannJsonAdapter;
  valijson::Schema schema_;
};

/// "" if the shipped file equals the generated text; UPDATE_GOLDEN=1 writes the file again.
inline std::string difference(const std::filesystem::path& path, const std::string& generated) {
  if (std::getenv("UPDATE_GOLDEN")) std::ofstream(path) << generated;
  std::ifstream in(path);
  std::ostringstream shipped;
  shipped << in.rdbuf();
  if (std::move(shipped).str() == generated) return "";
  return path.string() + " is not what is generated; UPDATE_GOLDEN=1 writes it anew";
}

}  // namespace plumbline
