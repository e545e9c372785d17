/// Checks a value against the protocol's own schema. A general validator's messages name rules;
/// people need to know what was found and what was expected.
#include <algorithm>
#include <cmath>

#include "protocol/schema.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownCharacters = 60;

struct TypeName {
  std::string_view name, words;
  bool (*fits)(const Json& value);
};

constexpr TypeName kTypes[] = {
    {"string", "a text", [](const Json& value) { return value.is_string(); }},
    {"boolean", "true or false", [](const Json& value) { return value.is_boolean(); }},
    {"integer", "a whole number", [](const Json& value) { return value.is_number_integer(); }},
    {"number", "a number", [](const Json& value) { return value.is_number(); }},
    {"array", "a list", [](const Json& value) { return value.is_array(); }},
    {"object", "an object", [](const Json& value) { return value.is_object(); }},
    {"null", "null", [](const Json& value) { return value.is_null(); }},
};

std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= kShownCharacters ? text : text.substr(0, kShownCharacters) + "…";
}

std::string mistake(const std::string& place, const std::string& found,
                    const std::string& expected) {
  return place + ": found " + found + ", expected " + expected;
}

std::string within(const std::string& place, const std::string& key) {
  return place.empty() ? key : place + "." + key;
}

class Checker {
 public:
  explicit Checker(const Json& definitions) : definitions_(definitions) {}

  std::string check(const Json& value, const Json& schema, const std::string& place) const {
    for (const auto step : {&Checker::reference, &Checker::type, &Checker::choice, &Checker::object,
                            &Checker::list, &Checker::alternatives})
      if (std::string wrong = (this->*step)(value, schema, place); !wrong.empty()) return wrong;
    return "";
  }

 private:
  std::string reference(const Json& value, const Json& schema, const std::string& place) const {
    if (const auto all = schema.find("allOf"); all != schema.end())
      return check(value, all->front(), place);
    const auto found = schema.find("$ref");
    if (found == schema.end()) return "";
    const std::string path = *found;
    return check(value, definitions_.at(path.substr(path.rfind('/') + 1)), place);
  }

  std::string type(const Json& value, const Json& schema, const std::string& place) const {
    const auto found = schema.find("type");
    if (found == schema.end()) return "";
    const Json names = found->is_array() ? *found : Json::array({*found});
    std::string expected;
    for (const Json& name : names) {
      const auto* const row = std::ranges::find(kTypes, name.get<std::string>(), &TypeName::name);
      if (row->fits(value)) return "";
      expected += (expected.empty() ? "" : " or ") + std::string(row->words);
    }
    return mistake(place, shown(value), expected);
  }

  std::string choice(const Json& value, const Json& schema, const std::string& place) const {
    if (const auto only = schema.find("const"); only != schema.end() && value != *only)
      return mistake(place, shown(value), only->dump());
    const auto names = schema.find("enum");
    if (names == schema.end() || std::ranges::count(*names, value) > 0) return "";
    std::string expected = "one of";
    for (const Json& name : *names)
      expected += (expected == "one of" ? " " : ", ") + name.get<std::string>();
    return mistake(place, shown(value), expected);
  }

  std::string object(const Json& value, const Json& schema, const std::string& place) const {
    if (!value.is_object()) return "";
    for (const Json& key : schema.value("required", Json::array()))
      if (!value.contains(key.get<std::string>()))
        return mistake(within(place, key), "nothing", "it to be there");
    const auto properties = schema.find("properties"), others = schema.find("additionalProperties");
    for (const auto& [key, item] : value.items()) {
      const bool is_known = properties != schema.end() && properties->contains(key);
      if (!is_known && others == schema.end()) continue;
      const Json& rule = is_known ? (*properties)[key] : *others;
      if (std::string wrong = check(item, rule, within(place, key)); !wrong.empty()) return wrong;
    }
    return "";
  }

  std::string list(const Json& value, const Json& schema, const std::string& place) const {
    if (!value.is_array()) return "";
    const std::size_t least = schema.value("minItems", std::size_t{0});
    const std::size_t most = schema.value("maxItems", value.size());
    if (value.size() < least || value.size() > most)
      return mistake(place, std::to_string(value.size()) + " items",
                     value.size() < least ? "at least " + std::to_string(least)
                                          : "at most " + std::to_string(most));
    const auto items = schema.find("items");
    for (std::size_t i = 0; items != schema.end() && i < value.size(); ++i)
      if (std::string wrong = check(value[i], *items, place + "[" + std::to_string(i) + "]");
          !wrong.empty())
        return wrong;
    return "";
  }

  /// For a line: the mistake in the alternative whose key is present, else all possible keys.
  std::string alternatives(const Json& value, const Json& schema, const std::string& place) const {
    const auto found = schema.find("anyOf");
    if (found == schema.end()) return "";
    std::string keys;
    for (const Json& alternative : *found) {
      const std::string key = alternative.at("required").front();
      if (value.is_object() && value.contains(key)) return check(value, alternative, place);
      keys += (keys.empty() ? "" : ", ") + key;
    }
    return mistake(place.empty() ? "the line" : place, shown(value),
                   "an object with one of " + keys);
  }

  const Json& definitions_;
};

}  // namespace

std::string schema_mistake(const Json& value, std::string_view definition) {
  static const Json kSchema = Json::parse(protocol_schema_json());
  const Json& definitions = kSchema.at("definitions");
  return Checker(definitions).check(value, definitions.at(std::string(definition)), "");
}

}  // namespace plumbline
