#include "protocol/case_json.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/error.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void read(const Json& object, const char* key, T& value) {
  if (const auto found = object.find(key); found != object.end() && !found->is_null())
    found->get_to(value);
}

Json to_json(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Value to_value(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

Json to_json(const NamedExpressions& pairs) {
  Json list = Json::array();
  for (const auto& [name, expression] : pairs) list.push_back({name, expression});
  return list;
}

NamedExpressions to_named(const Json& object, const char* key) {
  NamedExpressions pairs;
  if (const auto list = object.find(key); list != object.end())
    for (const Json& pair : *list) pairs.emplace_back(pair.at(0), pair.at(1));
  return pairs;
}

Json to_json(const Params& params) {
  Json object = Json::object();
  for (const auto& [key, value] : params) object[key] = to_json(value);
  return object;
}

Params to_params(const Json& object) {
  Params params;
  for (const auto& [key, value] : object.items()) params[key] = to_value(value);
  return params;
}

Json to_json(const KernelCode& kernel) {
  return {{"source", kernel.source},  {"entry", kernel.entry},
          {"grid", kernel.grid},      {"template", kernel.template_args},
          {"block", kernel.block},    {"defines", to_json(kernel.defines)},
          {"shared", kernel.shared},  {"constants", to_json(kernel.constants)},
          {"options", kernel.options}};
}

KernelCode to_kernel(const Json& json) {
  KernelCode kernel;
  read(json, "source", kernel.source);
  read(json, "entry", kernel.entry);
  read(json, "template", kernel.template_args);
  read(json, "options", kernel.options);
  read(json, "grid", kernel.grid);
  read(json, "block", kernel.block);
  read(json, "shared", kernel.shared);
  kernel.defines = to_named(json, "defines");
  kernel.constants = to_params(json.at("constants"));
  return kernel;
}

Json to_json(const Argument& argument) {
  Json json{argument.name, argument.expression};
  if (argument.role != Argument::Role::input) {
    json.push_back(name_of(argument.role));
    json.push_back(argument.type);
  }
  return json;
}

Argument to_argument(const Json& json) {
  Argument argument{json.at(0), json.at(1), Argument::Role::input, ""};
  if (json.size() < 4) return argument;
  const auto role = std::ranges::find(kRoleNames, json.at(2).get<std::string>());
  if (role == kRoleNames.end()) throw Error("unknown role of an argument: " + json.dump());
  argument.role = static_cast<Argument::Role>(role - kRoleNames.begin());
  argument.type = json.at(3);
  return argument;
}

Json to_json(const Declaration& declaration) {
  Json args = Json::array();
  for (const Argument& argument : declaration.args) args.push_back(to_json(argument));
  Json json{{"args", args},
            {"reference", declaration.reference},
            {"flops", declaration.flops},
            {"bytes", declaration.bytes}};
  if (declaration.tolerance) json["tolerance"] = *declaration.tolerance;
  if (declaration.kernel) json["kernel"] = to_json(*declaration.kernel);
  if (const auto& plugin = declaration.plugin)
    json["plugin"] = {{"library", plugin->library},
                      {"function", plugin->function},
                      {"params", to_json(plugin->params)}};
  if (const auto& python = declaration.python)
    json["python"] = {{"source", python->source},
                      {"function", python->function},
                      {"reference_function", python->reference_function}};
  if (!declaration.graph.empty()) json["graph"] = declaration.graph;
  return json;
}

Declaration to_declaration(const Json& json) {
  Declaration declaration;
  if (const auto args = json.find("args"); args != json.end())
    for (const Json& argument : *args) declaration.args.push_back(to_argument(argument));
  read(json, "reference", declaration.reference);
  read(json, "flops", declaration.flops);
  read(json, "bytes", declaration.bytes);
  read(json, "graph", declaration.graph);
  if (const auto found = json.find("tolerance"); found != json.end())
    declaration.tolerance = found->get<double>();
  if (const auto found = json.find("kernel"); found != json.end())
    declaration.kernel = to_kernel(*found);
  if (const auto found = json.find("plugin"); found != json.end()) {
    PluginCode& plugin = declaration.plugin.emplace();
    read(*found, "library", plugin.library);
    read(*found, "function", plugin.function);
    plugin.params = to_named(*found, "params");
  }
  if (const auto found = json.find("python"); found != json.end()) {
    PythonCode& python = declaration.python.emplace();
    read(*found, "source", python.source);
    read(*found, "function", python.function);
    read(*found, "reference_function", python.reference_function);
  }
  return declaration;
}

}  // namespace

nlohmann::ordered_json case_json(const Case& c) {
  Json json{{"suite", c.suite},
            {"name", c.name},
            {"op", c.op},
            {"id", c.id},
            {"backend", c.backend},
            {"revision", c.revision},
            {"params", to_json(c.params)}};
  if (c.declaration) json["declaration"] = to_json(*c.declaration);
  return json;
}

Case case_of(const nlohmann::ordered_json& json) {
  Case c;
  for (const auto& [key, member] : {std::pair{"suite", &Case::suite},
                                    {"name", &Case::name},
                                    {"op", &Case::op},
                                    {"id", &Case::id},
                                    {"backend", &Case::backend},
                                    {"revision", &Case::revision}})
    read(json, key, c.*member);
  c.params = to_params(json.at("params"));
  if (const auto found = json.find("declaration"); found != json.end())
    c.declaration = std::make_shared<const Declaration>(to_declaration(*found));
  return c;
}

}  // namespace plumbline
