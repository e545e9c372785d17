#include "protocol/messages.h"

#include <array>

#include "fuzz/targets.h"
#include "schedule/sanitizer_log.h"
#include "workflow/setup/python_environment.h"

namespace plumbline::fuzz {
namespace {

void read_worker_message(std::string_view input, const std::string&) {
  const WorkerMessage message = parse_worker_message(input);
  if (message.answer) parse_worker_message(to_line(*message.answer));
  if (message.hello) parse_worker_message(to_line(*message.hello));
}

void read_request(std::string_view input, const std::string&) {
  const Request request = parse_request(input);
  if (request.measure) parse_request(to_line(*request.measure));
}

void read_devices(std::string_view input, const std::string&) { to_text(parse_devices(input)); }

void read_turn(std::string_view input, const std::string&) { parse_turn(std::string(input)); }

void read_sanitizer_log(std::string_view input, const std::string&) {
  in_words("memcheck", parse_sanitizer_log(input));
}

void read_torch(std::string_view input, const std::string&) {
  worker_name_for(read_torch_version(input));
}

}  // namespace

std::span<const Target> message_targets() {
  static constexpr std::array kTargets = {Target{"worker_message", read_worker_message},
                                          Target{"request", read_request},
                                          Target{"devices", read_devices},
                                          Target{"turn", read_turn},
                                          Target{"sanitizer_log", read_sanitizer_log},
                                          Target{"torch", read_torch}};
  return kTargets;
}

}  // namespace plumbline::fuzz
