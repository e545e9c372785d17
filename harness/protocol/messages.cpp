#include "protocol/messages.h"

#include <algorithm>

#include "core/error.h"
#include "protocol/field_json.h"

namespace plumbline {
namespace {

template <class T>
T decoded(const Json& json) {
  T value;
  decode(json, value);
  return value;
}

/// A hello of another protocol version may have other fields, so only the version is read.
Hello to_hello(const Json& json) {
  Hello other;
  other.protocol = integer_of<int>(json.at("protocol"));
  return other.protocol == kProtocolVersion ? decoded<Hello>(json) : other;
}

/// Texts of kernels and libraries can contain any bytes; invalid UTF-8 is replaced.
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

Json encoded(const Policy& policy) {
  Json json;
  for (const PolicyField& field : policy_fields())
    std::visit([&](auto member) { json[std::string(field.name)] = policy.*member; }, field.member);
  return json;
}

void decode(const Json& json, Policy& policy) {
  for (const PolicyField& field : policy_fields())
    if (const auto found = json.find(std::string(field.name)); found != json.end())
      std::visit(
          [&](auto member) {
            auto& value = policy.*member;
            using Held = std::remove_reference_t<decltype(value)>;
            if constexpr (std::is_integral_v<Held> && !std::is_same_v<Held, bool>)
              value = integer_of<Held>(*found);
            else
              found->get_to(value);
          },
          field.member);
}

Json encoded(const Argument& argument) {
  Json json{argument.name, argument.expression};
  if (argument.role != Argument::Role::input) {
    json.push_back(name_of(argument.role));
    json.push_back(argument.type);
  }
  return json;
}

void decode(const Json& json, Argument& argument) {
  argument = {json.at(0), json.at(1), Argument::Role::input, ""};
  if (json.size() < 4) return;
  const auto role = std::ranges::find(kRoleNames, json.at(2).get<std::string>());
  if (role == kRoleNames.end()) throw Error("unknown role of an argument: " + json.dump());
  argument.role = static_cast<Argument::Role>(role - kRoleNames.begin());
  argument.type = json.at(3);
}

void decode(const Json& json, Status& status) {
  const auto named = status_named(json.get<std::string>());
  if (!named) throw Error("unknown status '" + json.get<std::string>() + "'");
  status = *named;
}

std::string to_line(const Hello& hello) { return line_of({{"hello", encoded(hello)}}); }

std::string to_line(const MeasureRequest& request) {
  return line_of({{"measure", encoded(request)}});
}

std::string to_line(const MeasureAnswer& answer) { return line_of({{"answer", encoded(answer)}}); }

std::string to_line(const Goodbye& goodbye) { return line_of({{"goodbye", encoded(goodbye)}}); }

std::string finish_line() { return line_of({{"finish", Json::object()}}); }

std::string phase_line(std::string_view phase) { return line_of({{"phase", phase}}); }

WorkerMessage parse_worker_message(std::string_view line) {
  return parse(line, "message of a worker", [](const Json& json) {
    WorkerMessage message;
    if (json.contains("hello")) message.hello = to_hello(json["hello"]);
    if (json.contains("phase")) message.phase = json["phase"].get<std::string>();
    if (json.contains("answer")) message.answer = decoded<MeasureAnswer>(json["answer"]);
    if (json.contains("goodbye")) message.goodbye = decoded<Goodbye>(json["goodbye"]);
    return message;
  });
}

Request parse_request(std::string_view line) {
  return parse(line, "request", [](const Json& json) -> Request {
    if (json.contains("finish")) return {};
    return {decoded<MeasureRequest>(json.at("measure"))};
  });
}

std::string to_text(const std::vector<DeviceEntry>& devices) {
  return encoded(devices).dump(1) + '\n';
}

std::vector<DeviceEntry> parse_devices(std::string_view text) {
  return parse(text, "list of devices", decoded<std::vector<DeviceEntry>>);
}

std::string to_line(const TurnLine& turn) { return turn.arena + ' ' + turn.chain_s + '\n'; }

TurnLine parse_turn(const std::string& line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  return {line.substr(0, space), line.substr(std::min(space + 1, line.size()))};
}

}  // namespace plumbline
