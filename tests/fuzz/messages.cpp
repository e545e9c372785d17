#include "protocol/messages.h"

#include <array>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "fuzz/targets.h"
#include "protocol/schema.h"
#include "schedule/sanitizer_log.h"
#include "workflow/bisect/versions.h"
#include "workflow/setup/python_environment.h"

namespace plumbline::fuzz {
namespace {

void read_worker_message(std::string_view input, const std::string&) {
  const WorkerMessage message = parse_worker_message(input);
  if (message.answer) parse_worker_message(to_line(*message.answer));
  if (message.hello) parse_worker_message(to_line(*message.hello));
  if (message.goodbye) parse_worker_message(to_line(*message.goodbye));
  if (message.phase) parse_worker_message(phase_line(*message.phase));
}

void read_request(std::string_view input, const std::string&) {
  const Request request = parse_request(input);
  parse_request(request.measure ? to_line(*request.measure) : finish_line());
}

void read_devices(std::string_view input, const std::string&) { to_text(parse_devices(input)); }

void read_turn(std::string_view input, const std::string&) {
  const TurnLine turn = parse_turn(std::string(input));
  std::string line = to_line(turn);
  line.pop_back();
  demand(parse_turn(line).arena == turn.arena, "a turn is read as it is written");
}

/// Any JSON, as `worker test` holds it against the schema of a message.
void read_checked(std::string_view input, const std::string&) {
  const auto json = nlohmann::ordered_json::parse(input, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Error("no JSON");
  for (const char* definition : {"message", "devices", "schemas"}) schema_mistake(json, definition);
}

void read_versions(std::string_view input, const std::string& folder) {
  for (const Version& version : listed_versions(written(folder, "versions", input)))
    is_requirement(version.side);
}

void read_sanitizer_log(std::string_view input, const std::string&) {
  in_words("memcheck", parse_sanitizer_log(input));
}

void read_torch(std::string_view input, const std::string&) {
  worker_name_for(read_torch_version(input));
}

}  // namespace

std::span<const Target> message_targets() {
  static constexpr std::array kTargets = {
      Target{"worker_message", read_worker_message, {Grammar::json}},
      Target{"request", read_request, {Grammar::json}},
      Target{"devices", read_devices, {Grammar::json}},
      Target{"turn", read_turn},
      Target{"checked", read_checked, {Grammar::json}},
      Target{"versions", read_versions},
      Target{"sanitizer_log", read_sanitizer_log},
      Target{"torch", read_torch}};
  return kTargets;
}

}  // namespace plumbline::fuzz
