#include "protocol/messages.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/run/result_fields.h"
#include "protocol/case_json.h"
#include "protocol/environment_json.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

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

template <class T>
Json encoded(const T& value) {
  return value;
}
Json encoded(const double& value) { return number(value); }
Json encoded(const std::vector<double>& values) { return numbers(values); }
Json encoded(const Status& status) { return name_of(status); }
Json encoded(const FileRef& file) { return Json::array({file.path, file.hash}); }
Json encoded(const SampleSet& samples) {
  Json blocks = Json::array();
  for (std::size_t i = 0; i < samples.blocks(); ++i) blocks.push_back(samples.block(i));
  return blocks;
}

template <class T>
void decode(const Json& json, T& value) {
  json.get_to(value);
}
void decode(const Json& json, std::vector<double>& values) {
  for (const Json& item : json) values.push_back(item.is_null() ? kUnknown : item.get<double>());
}
void decode(const Json& json, Status& status) {
  const auto named = status_named(json.get<std::string>());
  if (!named) throw Error("unknown status '" + json.get<std::string>() + "'");
  status = *named;
}
void decode(const Json& json, FileRef& file) { file = {json.at(0), json.at(1)}; }
void decode(const Json& json, SampleSet& samples) {
  for (const Json& block : json) samples.add_block(block.get<std::vector<double>>());
}

/// Lists of structs that describe() or decode() knows.
Json encoded(const std::vector<FileRef>& files);
Json encoded(const std::vector<MeasuredMetric>& metrics);
void decode(const Json& json, std::vector<FileRef>& files);
void decode(const Json& json, std::vector<MeasuredMetric>& metrics);

/// Writes the fields that describe() names.
struct Writer {
  Json json = Json::object();
  template <class T>
  void operator()(std::string_view key, const T& value) {
    json[std::string(key)] = encoded(value);
  }
};

/// Reads the same fields. A field that is missing keeps its value.
struct Reader {
  const Json& json;
  template <class T>
  void operator()(std::string_view key, T& value) {
    if (const auto found = json.find(std::string(key)); found != json.end() && !found->is_null())
      decode(*found, value);
  }
};

/// T or const T, so that one describe() serves both.
template <class U, class T>
concept Is = std::same_as<std::remove_const_t<U>, T>;

template <class Io, Is<MeasuredMetric> M>
void describe(Io& io, M& measured) {
  visit_fields<MeasuredMetric>(measured, io);
}

template <class Io, Is<MeasureAnswer> A>
void describe(Io& io, A& answer) {
  visit_fields<VisitOutcome>(answer, io);
  io("metrics", answer.metrics);
  io("absent", answer.absent);
  io("files", answer.files);
  io("left_behind", answer.left_behind);
}

template <class T>
Json written(const T& value) {
  Writer writer;
  describe(writer, value);
  return std::move(writer.json);
}

Json encoded(const std::vector<FileRef>& files) {
  Json list = Json::array();
  for (const FileRef& file : files) list.push_back(encoded(file));
  return list;
}

Json encoded(const std::vector<MeasuredMetric>& metrics) {
  Json list = Json::array();
  for (const MeasuredMetric& measured : metrics) list.push_back(written(measured));
  return list;
}

void decode(const Json& json, std::vector<FileRef>& files) {
  for (const Json& file : json) decode(file, files.emplace_back());
}

void decode(const Json& json, std::vector<MeasuredMetric>& metrics) {
  for (const Json& item : json) {
    item.at("samples");  // throws where a worker sends none
    Reader reader{item};
    describe(reader, metrics.emplace_back());
  }
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
  read(json, "start_s", hello.start_s);
  read(json, "arena", hello.arena);
  read(json, "measurement_revision", hello.measurement_revision);
  if (const auto found = json.find("environment"); found != json.end())
    hello.environment = environment_of(*found);
  return hello;
}

MeasureAnswer to_answer(const Json& json) {
  for (const char* needed : {"status", "metrics"}) json.at(needed);
  MeasureAnswer answer;
  Reader reader{json};
  describe(reader, answer);
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
                    {"start_s", hello.start_s},
                    {"arena", hello.arena},
                    {"measurement_revision", hello.measurement_revision},
                    {"environment", environment_json(hello.environment)}}}});
}

std::string to_line(const MeasureRequest& request) {
  return line_of({{"measure",
                   {{"case", case_json(request.subject)},
                    {"policy", to_json(request.policy)},
                    {"round", request.round},
                    {"seed", request.seed},
                    {"draw", request.draw}}}});
}

std::string to_line(const MeasureAnswer& answer) { return line_of({{"answer", written(answer)}}); }

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
    request.subject = case_of(body.at("case"));
    request.policy = to_policy(body.at("policy"));
    read(body, "round", request.round);
    read(body, "seed", request.seed);
    read(body, "draw", request.draw);
    return {request};
  });
}

std::string to_line(const TurnLine& turn) { return turn.arena + ' ' + turn.chain_s + '\n'; }

TurnLine parse_turn(const std::string& line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  return {line.substr(0, space), line.substr(std::min(space + 1, line.size()))};
}

}  // namespace plumbline
