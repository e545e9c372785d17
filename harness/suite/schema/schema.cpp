#include "suite/schema/schema.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "core/op/declaration.h"
#include "core/op/library_settings.h"
#include "core/op/op_limits.h"
#include "core/run/policy.h"
#include "core/suite_name.h"
#include "suite/schema/keys.h"
#include "suite/schema/schema_parts.h"

namespace plumbline {
namespace {

using namespace schema;

Json bound(double number) {
  return number == std::trunc(number) ? Json(std::int64_t(number)) : Json(number);
}

Json option(const PolicyField& field) {
  Json schema = {{"description", field.doc}};
  if (!field.allowed.empty()) {
    schema.update(one_or_list_of({{"enum", field.allowed}}));
    return schema;
  }
  const bool is_integer = std::holds_alternative<std::int64_t Policy::*>(field.member);
  schema["type"] = is_integer ? "integer" : "number";
  schema["minimum"] = bound(field.minimum);
  schema["maximum"] = bound(field.maximum);
  return schema;
}

Json measure() {
  Json properties = Json::object();
  for (const PolicyField& field : policy_fields())
    properties[std::string(field.name)] = option(field);
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
}

Json range() {
  const auto tuple = [](int size) {
    return Json{
        {"type", "array"}, {"minItems", size}, {"maxItems", size}, {"items", {{"type", "number"}}}};
  };
  const Json number = {{"type", "number"}};
  Json map = closed_map(kRangeKeys,
                        {{"from", number},
                         {"to", number},
                         {"step", number},
                         {"pow2", tuple(2)},
                         {"linspace", tuple(3)},
                         {"values", one_or_list_of(reference("scalar"))}},
                        {});
  map["oneOf"] = Json::array({{{"required", {"from", "to"}}},
                              {{"required", {"pow2"}}},
                              {{"required", {"linspace"}}},
                              {{"required", {"values"}}}});
  return map;
}

Json value_of(const ParamSpec& param, const OpSpec* spec) {
  Json schema = Json::object();
  if (!param.doc.empty()) schema["description"] = param.doc;
  std::vector<std::string> allowed = param.allowed;
  if (param.name == "dtype" && !spec)
    for (const DTypeInfo& row : kDTypes) allowed.emplace_back(row.name);
  if (param.takes_index) {
    schema.update(any_of({{{"enum", allowed}}, {{"type", "integer"}, {"minimum", 0}}}));
    return schema;
  }
  if (!allowed.empty()) {
    schema["enum"] = allowed;
    for (const std::string& text : allowed)  // numbers among the texts need no quotes
      if (text.find_first_not_of("-0123456789") == std::string::npos)
        schema["enum"].push_back(std::stoll(text));
    return schema;
  }
  constexpr const char* kTypes[] = {"boolean", "integer", "number", "string"};
  schema["type"] = kTypes[static_cast<std::size_t>(param.kind)];
  if (param.minimum) schema["minimum"] = bound(*param.minimum);
  if (param.maximum) schema["maximum"] = bound(*param.maximum);
  return schema;
}

/// Definitions of an op are `row_<op>` and `sweep_<op>`. Those of ops declared in a suite, which
/// take any parameter, are `row` and `sweep`.
std::string definition(const std::string& what, const OpSpec* spec) {
  return spec ? what + "_" + spec->name : what;
}

/// The parameters of an op, or of ops declared in a suite.
std::vector<ParamSpec> params_of(const OpSpec* spec) {
  if (spec) return params_of(*spec);
  std::vector<ParamSpec> params = common_params();
  params.insert(params.end(), library_params().begin(), library_params().end());
  return params;
}

/// Whether the op takes the same values as any operator, so that the common definition applies.
bool is_common(const ParamSpec& param, const OpSpec* spec) {
  const bool is_of_all = std::ranges::count(common_params(), param.name, &ParamSpec::name) > 0;
  const bool is_less = param.name == "dtype" || (param.name == "direction" && !spec->has_backward);
  return is_of_all && !is_less;
}

/// A row that sets several parameters together; axes refer to its properties.
Json row(const OpSpec* spec) {
  Json values = Json::object();
  for (const ParamSpec& param : params_of(spec))
    values[param.name] = spec && is_common(param, spec) ? reference("row/properties/" + param.name)
                                                        : value_of(param, spec);
  const Json others = spec ? Json(false) : reference("scalar");
  return {{"type", "object"}, {"additionalProperties", others}, {"properties", values}};
}

/// The rows of an axis: maps, names of shapes, or a single one of either.
Json rows_of(const Json& map) {
  return one_or_list_of(any_of({{{"type", "string"}, {"pattern", "^\\$"}}, map}));
}

Json sweep(const OpSpec* spec) {
  const Json row_reference = reference(definition("row", spec));
  Json axes = Json::object(), groups = Json::object();
  for (const ParamSpec& param : params_of(spec)) {
    const std::string& name = param.name;
    const auto dot = name.find('.');
    if (spec && is_common(param, spec)) {  // the same as in the sweep of any operator
      for (const std::string& axis : {name, name.substr(0, dot)})
        axes[axis] = reference("sweep/properties/" + axis);
      continue;
    }
    const Json value = reference(definition("row", spec) + "/properties/" + name);
    axes[name] = any_of({value, list_of(value), reference("range")});
    if (dot != std::string::npos) groups[name.substr(0, dot)][name.substr(dot + 1)] = value;
  }
  for (const auto& [group, members] : groups.items())
    axes[group] =
        rows_of({{"type", "object"}, {"additionalProperties", false}, {"properties", members}});
  const Json scalars = one_or_list_of(reference("scalar"));
  const Json rows = rows_of(row_reference);
  const Json free_axis = spec ? rows : any_of({scalars, reference("range"), rows});
  return {{"type", "object"}, {"properties", axes}, {"additionalProperties", free_axis}};
}

Json condition() {
  const Json value = one_or_list_of(reference("scalar"));
  Json device = Json::object();
  for (const YamlKey& key : kDeviceKeys) {
    device[std::string(key.name)] = value;
    device[std::string(key.name)]["description"] = key.doc;
  }
  return any_of({{{"type", "string"}},
                 {{"type", "object"},
                  {"minProperties", 1},
                  {"properties", device},
                  {"additionalProperties", value}}});
}

/// An argument of a kernel or plug-in that is not a plain input.
Json argument(bool takes_scalars) {
  Json properties = closed_map(kArgumentKeys,
                               {{"output", reference("expression")},
                                {"inout", reference("expression")},
                                {"scratch", reference("expression")},
                                {std::string(kScalarKey), reference("expression")},
                                {"dtype", reference("text")}},
                               {});
  if (!takes_scalars) properties["properties"].erase(std::string(kScalarKey));
  for (const ScalarType& type : kScalarTypes)
    if (takes_scalars) properties["properties"][std::string(type.name)] = reference("expression");
  return any_of({reference("expression"), properties});
}

Json launch() {
  const Json sizes = any_of(
      {reference("scalar"),
       {{"type", "array"}, {"minItems", 1}, {"maxItems", 3}, {"items", reference("expression")}}});
  return closed_map(kLaunchKeys,
                    {{"grid", sizes},
                     {"block", sizes},
                     {"shared", reference("expression")},
                     {"cluster", sizes},
                     {"cooperative", reference("expression")},
                     {"dependent", reference("expression")}},
                    {"grid", "block"});
}

/// The rule for benchmarks with an op that matches `op`: required keys, axes, and no keys of other
/// kinds.
Json rule(const Json& op, OpKind kind, const std::vector<std::string>& required,
          const Json& sweep_of_op, Json properties = Json::object()) {
  properties["sweep"] = sweep_of_op;
  for (const YamlKey& key : kBenchmarkKeys)
    if (!is_of(key, kind)) properties[std::string(key.name)] = false;
  return {{"if", {{"required", {"op"}}, {"properties", {{"op", op}}}}},
          {"then", {{"required", required}, {"properties", properties}}}};
}

Json positive() { return {{"type", "number"}, {"exclusiveMinimum", 0}}; }

Json step() {
  return closed_map(
      kStepKeys,
      {{"phases", one_or_list_of(reference("name"))}, {"time", positive()}, {"busy", positive()}},
      {"phases"});
}

Json benchmark_properties(const Json& op) {
  const Json fraction =
      any_of({{{"type", "number"}, {"exclusiveMinimum", 0}, {"exclusiveMaximum", 1}},
              {{"type", "string"}, {"pattern", "^[0-9.]+ *%$"}}});
  const Json path = reference("text"), function = reference("text");
  const Json expressions = one_or_list_of(reference("expression"));
  return {
      {"op", op},
      {"name", reference("name")},
      {"backend", one_or_list_of({{"enum", kBackends}})},
      {"sweep", {{"type", "object"}}},
      {"where", reference("condition")},
      {"exclude",
       one_or_list_of(closed_map(kExcludeKeys,
                                 {{"where", reference("condition")}, {"reason", reference("text")}},
                                 {"where", "reason"}))},
      {"expect", one_or_list_of(closed_map(kExpectKeys,
                                           {{"where", reference("condition")},
                                            {"status", {{"enum", kExpectable}}},
                                            {"reason", reference("text")}},
                                           {"where", "status", "reason"}))},
      {"tags", one_or_list_of(reference("name"))},
      {"threshold", closed_map(kThresholdKeys, {{"slowdown", fraction}}, {"slowdown"})},
      {"measure", reference("measure")},
      {"calls", map_of(positive())},
      {"args", {{"type", "object"}}},
      {"reference", reference("expression")},
      {"reference_function", function},
      {"cost",
       closed_map(kCostKeys,
                  {{"flops", reference("expression")}, {"bytes", reference("expression")}}, {})},
      {"batch_invariant", reference("name")},
      {"tolerance", {{"type", "number"}, {"minimum", 0}, {"exclusiveMaximum", 1}}},
      {"source", path},
      {"reference_source", path},
      {"entry", {{"type", "string"}, {"pattern", "^[^<>(), ]+$"}}},
      {"template", expressions},
      {"defines", map_of(reference("expression"))},
      {"options", one_or_list_of({{"type", "string"}, {"pattern", "^-"}})},
      {"launch", launch()},
      {"metadata", path},
      {"library", path},
      {"function", function},
      {"with", map_of(reference("expression"))},
      {"loss", function},
      {"accuracy", function},
      {"serve", closed_map(kServeKeys,
                           {{"requests", reference("expression")},
                            {"rate", reference("expression")},
                            {"items", reference("expression")}},
                           {"requests"})},
      {"params", map_of(reference("expression"))},
      {"graph", any_of({path, {{"type", "object"}, {"required", {"tensors", "nodes"}}}})}};
}

Json benchmark(const Catalogue& catalogue) {
  std::vector<std::string> ops;
  for (const CatalogueEntry& entry : catalogue) ops.push_back(entry.spec.name);
  std::vector<std::string> names = ops;
  names.insert(names.end(), {"kernel", "plugin", "python", "module", "cudnn.graph"});
  const Json dispatcher_op = {{"type", "string"},
                              {"pattern", "^[A-Za-z_]\\w*::[A-Za-z_]\\w*(\\.\\w+)?$"}};
  Json map = closed_map(kBenchmarkKeys,
                        benchmark_properties(any_of({{{"enum", names}}, dispatcher_op})), {"op"});
  Json rules = Json::array();
  for (const std::string& op : ops)
    rules.push_back(rule({{"const", op}}, OpKind::catalogue, {"sweep"}, reference("sweep_" + op)));
  const Json any_sweep = reference("sweep");
  rules.push_back(rule(dispatcher_op, OpKind::dispatcher, {"sweep", "args"}, any_sweep,
                       {{"args", map_of(reference("expression"))}}));
  rules.push_back(rule({{"const", "kernel"}}, OpKind::kernel,
                       {"sweep", "args", "name", "source", "launch"}, any_sweep,
                       {{"args", map_of(argument(true))}}));
  rules.push_back(rule({{"const", "plugin"}}, OpKind::plugin,
                       {"sweep", "args", "name", "library", "function"}, any_sweep,
                       {{"args", map_of(argument(false))}}));
  rules.push_back(rule({{"const", "python"}}, OpKind::python,
                       {"sweep", "args", "name", "source", "function"}, any_sweep,
                       {{"args", map_of(argument(false))}}));
  Json of_networks =
      rule({{"const", "module"}}, OpKind::module, {"sweep", "args", "name", "source"}, any_sweep,
           {{"args", map_of(argument(false))}});
  of_networks["then"]["anyOf"] = Json::array(
      {{{"required", {"function"}}}, {{"properties", {{"source", {{"pattern", "\\.pt2?$"}}}}}}});
  rules.push_back(std::move(of_networks));
  rules.push_back(
      rule({{"const", "cudnn.graph"}}, OpKind::graph, {"sweep", "name", "graph"}, any_sweep));
  map["allOf"] = std::move(rules);
  return map;
}

Json name() { return {{"type", "string"}, {"pattern", "^[A-Za-z0-9._-]+$"}}; }

/// Not a reference: keywords beside a $ref are ignored in draft 7.
Json suite_name() {
  Json schema = name();
  schema["maxLength"] = kLongestSuiteName;
  return schema;
}

Json shapes() {
  Json map = map_of(list_of(map_of(reference("scalar"))));
  map["properties"] = {{std::string(kShapesFrom), one_or_list_of(reference("text"))}};
  return map;
}

/// A file is a suite, or has only the shapes that suites read from it.
Json suite_or_shapes(Json file) {
  const Json none = {{"suite", false}, {"benchmarks", false}};
  file["anyOf"] = Json::array(
      {{{"required", {"suite", "benchmarks"}}}, {{"required", {"shapes"}}, {"properties", none}}});
  return file;
}

Json definitions(const Catalogue& catalogue) {
  Json all = {
      {"name", name()},
      {"text", {{"type", "string"}, {"pattern", "\\S"}}},
  };
  all.update(value_definitions());
  all.update({
      {"range", range()},
      {"condition", condition()},
      {"measure", measure()},
      {"benchmark", benchmark(catalogue)},
      {"row", row(nullptr)},
      {"sweep", sweep(nullptr)},
  });
  for (const CatalogueEntry& entry : catalogue) {
    all[definition("row", &entry.spec)] = row(&entry.spec);
    all[definition("sweep", &entry.spec)] = sweep(&entry.spec);
  }
  return all;
}

}  // namespace

std::string suite_schema_json(const Catalogue& catalogue) {
  return file_schema("Plumbline suite",
                     suite_or_shapes(closed_map(kSuiteKeys,
                                                {{"suite", suite_name()},
                                                 {"description", reference("text")},
                                                 {"measure", reference("measure")},
                                                 {"shapes", shapes()},
                                                 {"steps", map_of(step())},
                                                 {"benchmarks", list_of(reference("benchmark"))},
                                                 {"renames", map_of({{"type", "string"}})}},
                                                {})),
                     definitions(catalogue));
}

}  // namespace plumbline
