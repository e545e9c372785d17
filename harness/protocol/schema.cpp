#include "protocol/schema.h"

#include <array>
#include <span>

#include "protocol/field_json.h"

namespace plumbline {
namespace {

/// Runs are compared by these facts; a worker without them measures in vain.
constexpr std::array<std::string_view, 4> kNeededFacts{"device_kind", "device_class", "device_uuid",
                                                       "device_units"};

Json reference(std::string_view definition) {
  return {{"$ref", "#/definitions/" + std::string(definition)}};
}

Json list_of(const Json& item) { return {{"type", "array"}, {"items", item}}; }

Json map_of(const Json& item) { return {{"type", "object"}, {"additionalProperties", item}}; }

/// A list of exactly `count` texts.
Json texts(int count) {
  return {
      {"type", "array"}, {"minItems", count}, {"maxItems", count}, {"items", {{"type", "string"}}}};
}

Json named(std::span<const std::string_view> names) {
  return {{"type", "string"}, {"enum", names}};
}

/// The schema of a value as encoded() writes it.
template <class T>
Json schema_of() {
  if constexpr (IsDescribed<T>)
    return reference(Described<T>::kName);
  else if constexpr (std::is_same_v<T, NamedExpressions>)
    return list_of(texts(2));
  else if constexpr (kIsVector<T>)
    return list_of(schema_of<typename T::value_type>());
  else if constexpr (IsMap<T>)
    return map_of(schema_of<typename T::mapped_type>());
  else if constexpr (std::is_same_v<T, Value>)
    return {{"type", {"string", "number", "boolean"}}};
  else if constexpr (std::is_same_v<T, FileRef>)
    return texts(2);
  else if constexpr (std::is_same_v<T, Argument>)
    return {{"type", "array"}, {"minItems", 2}, {"maxItems", 4}, {"items", {{"type", "string"}}}};
  else if constexpr (std::is_same_v<T, SampleSet>)
    return {{"type", "array"},
            {"minItems", 1},
            {"items", {{"type", "array"}, {"minItems", 1}, {"items", {{"type", "number"}}}}}};
  else if constexpr (std::is_same_v<T, Status>)
    return named(kStatusNames);
  else if constexpr (std::is_same_v<T, Environment>)
    return reference("environment");
  else if constexpr (std::is_same_v<T, Policy>)
    return reference("policy");
  else if constexpr (std::is_same_v<T, std::shared_ptr<const Declaration>>)
    return reference(Described<Declaration>::kName);
  else if constexpr (MayBeAbsent<T>)
    return schema_of<typename T::value_type>();
  else if constexpr (std::is_same_v<T, bool>)
    return {{"type", "boolean"}};
  else if constexpr (std::is_integral_v<T>)
    return {{"type", "integer"}};
  else if constexpr (std::is_same_v<T, double>)
    return {{"type", {"number", "null"}}};
  else
    return {{"type", "string"}};
}

template <class Owner, class T>
T member_of(T Owner::*);  // for decltype

/// Other keys are allowed: readers ignore them.
template <class T>
Json described() {
  Json properties = Json::object(), required = Json::array();
  visit_members<T>(
      [&](const std::string& key, bool is_required, std::string_view doc, auto member) {
        Json schema = {{"description", doc}};
        Json type = schema_of<decltype(member_of(member))>();
        // Keywords beside a $ref are ignored in draft 7.
        if (type.contains("$ref"))
          schema["allOf"] = Json::array({type});
        else
          schema.update(type);
        properties[key] = std::move(schema);
        if (is_required) required.push_back(key);
      });
  Json object = {{"type", "object"}};
  if (!required.empty()) object["required"] = required;
  object["properties"] = std::move(properties);
  return object;
}

Json environment() {
  Json properties = Json::object();
  for (const EnvironmentField& field : environment_fields())
    properties[std::string(field.name)] = {{"description", field.label}, {"type", "string"}};
  return {{"type", "object"}, {"required", kNeededFacts}, {"properties", properties}};
}

Json policy() {
  Json properties = Json::object();
  for (const PolicyField& field : policy_fields()) {
    Json schema = {{"description", field.doc}};
    if (!field.allowed.empty())
      schema.update(list_of(named(field.allowed)));
    else
      schema["type"] =
          std::holds_alternative<std::int64_t Policy::*>(field.member) ? "integer" : "number";
    properties[std::string(field.name)] = std::move(schema);
  }
  return {{"type", "object"}, {"properties", properties}};
}

/// `unit` and `profile` are for people and programs; validators ignore them.
Json all_metrics() {
  Json list = Json::array();
  for (const Metric& metric : metrics())
    list.push_back({{"const", metric.name},
                    {"description", metric.doc},
                    {"unit", metric.unit},
                    {"profile", name_of(metric.profile)}});
  return {{"anyOf", list}};
}

/// A line with one message: an object with its name as the key.
Json line_with(std::string_view message, const Json& body) {
  const std::string key(message);
  return {{"type", "object"}, {"required", {key}}, {"properties", {{key, body}}}};
}

template <class... T>
void describe_all(Json& definitions) {
  ((definitions[std::string(Described<T>::kName)] = described<T>()), ...);
}

Json definitions() {
  Json all = {{"request",
               {{"anyOf", Json::array({line_with("measure", reference("measure")),
                                       line_with("finish", {{"type", "object"}})})}}},
              {"message",
               {{"anyOf", Json::array({line_with("hello", reference("hello")),
                                       line_with("phase", {{"type", "string"}}),
                                       line_with("answer", reference("answer")),
                                       line_with("goodbye", reference("goodbye"))})}}},
              {"devices", {{"type", "array"}, {"minItems", 1}, {"items", reference("device")}}},
              {"schemas", list_of({{"type", "string"}})}};
  describe_all<DeviceEntry, Hello, MeasureRequest, Case, MeasureAnswer, MeasuredMetric, Goodbye,
               Declaration, KernelCode, PluginCode, ModuleCode, PythonCode, NetworkFile,
               RecordedTensor>(all);
  all["hello"]["properties"]["protocol"]["const"] = kProtocolVersion;
  all["policy"] = policy();
  all["environment"] = environment();
  all["metrics"] = all_metrics();
  return all;
}

Json protocol_schema() {
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "Plumbline worker protocol " + std::to_string(kProtocolVersion)},
          {"anyOf", Json::array({reference("request"), reference("message")})},
          {"definitions", definitions()}};
}

}  // namespace

std::string protocol_schema_json() { return protocol_schema().dump(2) + '\n'; }

}  // namespace plumbline
