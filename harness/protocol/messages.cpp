#include "protocol/messages.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

double number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? kUnknown : found->get<double>();
}

template <class T>
void read(const Json& object, const char* key, T& value) {
  if (const auto found = object.find(key); found != object.end() && !found->is_null())
    found->get_to(value);
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

std::vector<double> numbers(const Json& object, const char* key) {
  std::vector<double> values;
  if (const auto found = object.find(key); found != object.end())
    for (const Json& item : *found)
      values.push_back(item.is_null() ? kUnknown : item.get<double>());
  return values;
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

Json to_json(const Policy& policy) {
  Json json;
  for (const PolicyField& field : policy_fields())
    std::visit([&](auto member) { json[std::string(field.name)] = policy.*member; }, field.member);
  return json;
}

Policy to_policy(const Json& json) {
  Policy policy;
  for (const PolicyField& field : policy_fields())
    std::visit([&](auto member) { read(json, std::string(field.name).c_str(), policy.*member); },
               field.member);
  return policy;
}

Json to_json(const Environment& environment) {
  Json json = Json::object();
  for (const EnvironmentField& field : environment_fields())
    if (const std::string& value = environment.*field.member; !value.empty())
      json[std::string(field.name)] = value;
  return json;
}

Environment to_environment(const Json& json) {
  Environment environment;
  for (const EnvironmentField& field : environment_fields())
    read(json, std::string(field.name).c_str(), environment.*field.member);
  return environment;
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
  return declaration;
}

Json to_json(const Case& c) {
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

Case to_case(const Json& json) {
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

Json to_json(const MetricReading& reading) {
  Json blocks = Json::array();
  for (std::size_t i = 0; i < reading.samples.blocks(); ++i)
    blocks.push_back(reading.samples.block(i));
  return {{"metric", reading.metric},
          {"unit", reading.unit},
          {"batch", reading.batch},
          {"floor_s", number(reading.floor_s)},
          {"samples", blocks},
          {"block_times_s", numbers(reading.block_times_s)},
          {"block_clocks_hz", numbers(reading.block_clocks_hz)},
          {"block_placements", reading.block_placements},
          {"block_causes", reading.block_causes},
          {"timers_s", reading.timers_s},
          {"temperature_c", number(reading.temperature_c)},
          {"power_w", number(reading.power_w)},
          {"throttle", reading.throttle},
          {"flags", reading.flags}};
}

MetricReading to_reading(const Json& json) {
  MetricReading reading;
  read(json, "metric", reading.metric);
  read(json, "unit", reading.unit);
  read(json, "batch", reading.batch);
  read(json, "throttle", reading.throttle);
  read(json, "flags", reading.flags);
  read(json, "block_placements", reading.block_placements);
  read(json, "block_causes", reading.block_causes);
  read(json, "timers_s", reading.timers_s);
  reading.floor_s = number(json, "floor_s");
  reading.temperature_c = number(json, "temperature_c");
  reading.power_w = number(json, "power_w");
  reading.block_times_s = numbers(json, "block_times_s");
  reading.block_clocks_hz = numbers(json, "block_clocks_hz");
  for (const Json& block : json.at("samples"))
    reading.samples.add_block(block.get<std::vector<double>>());
  return reading;
}

Hello to_hello(const Json& json) {
  Hello hello;
  read(json, "protocol", hello.protocol);
  if (hello.protocol > kProtocolVersion)
    throw Error("the worker speaks protocol " + std::to_string(hello.protocol) +
                ", this program up to " + std::to_string(kProtocolVersion) +
                "; use a plumbline as new as the worker");
  read(json, "profiles", hello.profiles);
  read(json, "calibration", hello.calibration);
  read(json, "sentinel", hello.sentinel);
  read(json, "arena", hello.arena);
  read(json, "awaits_turn", hello.awaits_turn);
  if (const auto found = json.find("environment"); found != json.end())
    hello.environment = to_environment(*found);
  return hello;
}

MeasureAnswer to_answer(const Json& json) {
  MeasureAnswer answer;
  const auto status = status_named(json.at("status").get<std::string>());
  if (!status) throw Error("unknown status '" + json.at("status").get<std::string>() + "'");
  answer.status = *status;
  read(json, "reason", answer.reason);
  read(json, "kernels", answer.kernels);
  read(json, "plan", answer.plan);
  read(json, "spent_s", answer.spent_s);
  read(json, "absent", answer.absent);
  answer.age_s = number(json, "age_s");
  answer.flops = number(json, "flops");
  answer.bytes = number(json, "bytes");
  answer.error_rel_l2 = number(json, "error_rel_l2");
  answer.error_max_abs = number(json, "error_max_abs");
  answer.error_max_ulp = number(json, "error_max_ulp");
  answer.tolerance = number(json, "tolerance");
  read(json, "repeats", answer.repeats);
  if (const auto files = json.find("files"); files != json.end())
    for (const Json& file : *files) answer.files.push_back({file.at(0), file.at(1)});
  for (const Json& metric : json.at("metrics")) answer.metrics.push_back(to_reading(metric));
  return answer;
}

/// Texts of kernels and libraries may hold anything: bytes that are no UTF-8 are replaced.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

template <class Read>
auto parse(std::string_view line, const char* what, Read read_json) {
  try {
    return read_json(Json::parse(line));
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("not a ") + what + ": " + error.what() + "; the line begins '" +
                std::string(line.substr(0, 120)) + "'");
  }
}

}  // namespace

std::string to_line(const Hello& hello) {
  return line_of({{"hello",
                   {{"protocol", hello.protocol},
                    {"profiles", hello.profiles},
                    {"calibration", hello.calibration},
                    {"sentinel", hello.sentinel},
                    {"arena", hello.arena},
                    {"awaits_turn", hello.awaits_turn},
                    {"environment", to_json(hello.environment)}}}});
}

std::string to_line(const MeasureRequest& request) {
  return line_of({{"measure",
                   {{"case", to_json(request.subject)},
                    {"policy", to_json(request.policy)},
                    {"round", request.round},
                    {"seed", request.seed}}}});
}

std::string to_line(const MeasureAnswer& answer) {
  Json metrics = Json::array(), files = Json::array();
  for (const MetricReading& metric : answer.metrics) metrics.push_back(to_json(metric));
  for (const FileRef& file : answer.files) files.push_back(Json::array({file.path, file.hash}));
  return line_of({{"answer",
                   {{"status", name_of(answer.status)},
                    {"reason", answer.reason},
                    {"metrics", metrics},
                    {"absent", answer.absent},
                    {"age_s", number(answer.age_s)},
                    {"kernels", answer.kernels},
                    {"plan", answer.plan},
                    {"files", files},
                    {"flops", number(answer.flops)},
                    {"bytes", number(answer.bytes)},
                    {"error_rel_l2", number(answer.error_rel_l2)},
                    {"error_max_abs", number(answer.error_max_abs)},
                    {"error_max_ulp", number(answer.error_max_ulp)},
                    {"tolerance", number(answer.tolerance)},
                    {"repeats", answer.repeats},
                    {"spent_s", answer.spent_s}}}});
}

std::string to_line(const Goodbye& goodbye) {
  return line_of({{"goodbye", {{"sentinel", goodbye.sentinel}}}});
}

std::string finish_line() { return line_of({{"finish", Json::object()}}); }

std::string phase_line(std::string_view phase) { return line_of({{"phase", phase}}); }

WorkerMessage parse_worker_message(std::string_view line) {
  return parse(line, "message of a worker", [](const Json& json) {
    WorkerMessage message;
    if (json.contains("hello")) message.hello = to_hello(json["hello"]);
    if (json.contains("phase")) message.phase = json["phase"].get<std::string>();
    if (json.contains("answer")) message.answer = to_answer(json["answer"]);
    if (json.contains("goodbye"))
      read(json["goodbye"], "sentinel", message.goodbye.emplace().sentinel);
    return message;
  });
}

Request parse_request(std::string_view line) {
  return parse(line, "request", [](const Json& json) -> Request {
    if (json.contains("finish")) return {};
    const Json& body = json.at("measure");
    MeasureRequest request;
    request.subject = to_case(body.at("case"));
    request.policy = to_policy(body.at("policy"));
    read(body, "round", request.round);
    read(body, "seed", request.seed);
    return {request};
  });
}

}  // namespace plumbline
