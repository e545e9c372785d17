/// plumbline-worker: prepares, verifies and measures one case at a time on one device, told by
/// plumbline through the protocol on descriptors 3 and 4.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "worker/session.h"
#include "worker/visit.h"

namespace plumbline {
namespace {

constexpr const char* kUsage =
    R"(usage: plumbline-worker --device cpu|cuda[:N] --profile timing|stock|sanitizer [--extension FILE]…
           serve requests on descriptor 3, answers on descriptor 4 (plumbline starts it so)
       plumbline-worker --devices              devices of this machine as JSON, best first
       plumbline-worker --schemas [FILE…]      operator schemas as JSON, with those of extensions
       plumbline-worker --version
)";

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) std::_Exit(0);  // nobody listens any more
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Lines of a descriptor; false at its end.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  bool next(std::string& line) {
    while (true) {
      if (const auto end = buffer_.find('\n'); end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return true;
      }
      char piece[1 << 16];
      const ssize_t count = read(descriptor_, piece, sizeof piece);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      buffer_.append(piece, static_cast<std::size_t>(count));
    }
  }

 private:
  int descriptor_;
  std::string buffer_;
};

int serve(const SessionOptions& options) {
  Session session(options);
  write_all(kAnswerDescriptor, to_line(session.hello()));
  LineReader requests(kRequestDescriptor);
  for (std::string line; requests.next(line);) {
    const MeasureRequest request = parse_request(line);
    const VisitResult result = visit(session, request, [](std::string_view phase) {
      write_all(kAnswerDescriptor, phase_line(phase));
    });
    write_all(kAnswerDescriptor, to_line(result.answer));
    if (result.has_lost_device) std::_Exit(1);
  }
  // Without unwinding: tensors and handles of libraries would be destroyed in an order that they
  // do not expect, and the process owns nothing that outlives it.
  std::_Exit(0);
}

int print_devices() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, environment] : all_devices()) {
    nlohmann::ordered_json record;
    for (const EnvironmentField& field : environment_fields())
      if (const std::string& value = environment.*field.member; !value.empty())
        record[std::string(field.name)] = value;
    list.push_back({{"device", name}, {"environment", record}});
  }
  std::cout << list.dump(1) << '\n';
  return 0;
}

int print_schemas(const std::vector<std::string>& extensions) {
  load_extensions(extensions);
  std::cout << nlohmann::json(operator_schemas()).dump(1) << '\n';
  return 0;
}

SessionOptions parse_options(const std::vector<std::string>& arguments) {
  SessionOptions options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& flag = arguments[i];
    if (i + 1 >= arguments.size()) throw Error("'" + flag + "' lacks its value\n" + kUsage);
    const std::string& value = arguments[i + 1];
    if (flag == "--device") {
      options.device = value;
    } else if (flag == "--profile") {
      const auto profile = profile_named(value);
      if (!profile) throw Error("unknown profile '" + value + "'\n" + kUsage);
      options.profile = *profile;
    } else if (flag == "--extension") {
      options.extensions.push_back(value);
    } else {
      throw Error("unknown flag '" + flag + "'\n" + kUsage);
    }
  }
  return options;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw Error(std::string("nothing to do\n") + kUsage);
  if (arguments[0] == "--help") return std::cout << kUsage, 0;
  if (arguments[0] == "--version")
    return std::cout << "plumbline-worker " PLUMBLINE_VERSION "\n", 0;
  if (arguments[0] == "--devices") return print_devices();
  if (arguments[0] == "--schemas") return print_schemas({arguments.begin() + 1, arguments.end()});
  return serve(parse_options(arguments));
}

}  // namespace
}  // namespace plumbline

int main(int count, char** values) {
  try {
    return plumbline::run({values + 1, values + count});
  } catch (const std::exception& error) {
    std::cerr << "plumbline-worker: " << error.what() << '\n';
    return 2;
  }
}
