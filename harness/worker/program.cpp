/// The program plumbline-worker: it prepares, verifies and measures one case at a time on one
/// device. plumbline controls it through the protocol on descriptors 3 and 4.
#include "worker/program.h"

#include <fcntl.h>
#include <torch/version.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "backends/cudnn/suite_graph.h"
#include "backends/custom_code.h"
#include "core/error.h"
#include "protocol/messages.h"
#include "worker/read_ahead.h"
#include "worker/session/calibration.h"
#include "worker/session/clock_keeper.h"
#include "worker/session/nvtx.h"
#include "worker/session/session.h"
#include "worker/visit.h"

namespace plumbline {
namespace {

constexpr const char* kUsage =
    R"(usage: plumbline-worker --device cpu|cuda[:N] --profile timing|trace|stock|counters|sanitizer
           [--extension FILE]… [--arena share|none|ARENA] [--calibration none|brief]
           [--launches N] [--requests FILE --answers FILE]
           serve requests on descriptor 3, answers on descriptor 4 (plumbline starts it so), or by
           files, for tools that do not pass descriptors on; with --launches each case is launched
           N times, neither held nor timed, for profilers and checkers
       plumbline-worker --compile ARCH --requests FILE --answers FILE
           compile the kernels of requests for an architecture (sm_90a) and check their arguments
       plumbline-worker --calibrate --device cpu|cuda[:N]   its peaks as JSON
       plumbline-worker --devices              devices of this machine as JSON, best first
       plumbline-worker --schemas [FILE…]      operator schemas as JSON, with those of extensions
       plumbline-worker --lock-clocks base|MHZ --device GPU-… --marker FILE
           keep a GPU's SM clock locked until the end of standard input, then restore it
       plumbline-worker --version
)";

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) std::_Exit(0);  // the reader is gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Reads lines from a descriptor; false at its end.
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

/// For a worker that is started before its turn: loads libraries, but uses nothing on the device.
void stand_by(SessionOptions& options) {
  const char* const text = std::getenv(kStandbyVariable);
  if (text == nullptr) return;
  prepare_session(options);
  const int descriptor = std::atoi(text);
  std::string line;
  if (!LineReader(descriptor).next(line)) std::_Exit(0);  // the worker is no longer needed
  const TurnLine turn = parse_turn(line);
  if (!turn.arena.empty()) options.arena = turn.arena;
  if (!turn.chain_s.empty()) setenv(kContextChainVariable, turn.chain_s.c_str(), 1);
  close(descriptor);
}

int serve(SessionOptions options) {
  stand_by(options);
  if (options.device.starts_with("cuda")) read_libraries_ahead();
  Session session(options);
  write_all(kAnswerDescriptor, to_line(session.hello()));
  LineReader requests(kRequestDescriptor);
  for (std::string line; requests.next(line);) {
    const Request request = parse_request(line);
    if (!request.measure) {
      write_all(kAnswerDescriptor, to_line(Goodbye{session.device().sentinel()}));
      break;
    }
    const Case& subject = request.measure->subject;
    std::optional<NvtxRange> range;
    const VisitResult result = visit(session, *request.measure, [&](std::string_view phase) {
      range.reset();  // ranges nest: the old one ends before the new one begins
      range.emplace(subject.suite + " | " + subject.id + " | " + std::string(phase));
      write_all(kAnswerDescriptor, phase_line(phase));
    });
    range.reset();
    write_all(kAnswerDescriptor, to_line(result.answer));
    if (result.has_lost_device) std::_Exit(1);
  }
  // Without unwinding: destructors of tensors and library handles would run in an order that they
  // do not support. The process owns nothing that outlives it.
  std::_Exit(0);
}

/// Answers each request: OK, with the reason for what could not be checked, or why its kernel
/// cannot be launched. Needs no device.
int check_kernels(const std::string& architecture) {
  LineReader requests(kRequestDescriptor);
  for (std::string line; requests.next(line);) {
    const Request request = parse_request(line);
    MeasureAnswer answer;
    try {
      const Case& subject = request.measure.value().subject;
      if (subject.declaration->graph.empty())
        answer.reason = check_kernel(subject, architecture);
      else
        SuiteGraph(subject, /*is_cuda=*/false);
    } catch (const Unsupported& reason) {
      answer.status = Status::unsupported;
      answer.reason = reason.what();
    } catch (const std::exception& mistake) {  // any exception: the other kernels are still checked
      answer.status = Status::crashed;
      answer.reason = mistake.what();
    }
    write_all(kAnswerDescriptor, to_line(answer));
  }
  return 0;
}

int print_devices() {
  std::vector<DeviceEntry> devices;
  for (const auto& [name, environment] : all_devices())
    devices.push_back({name, environment, /*awaits_turn=*/true});
  std::cout << to_text(devices);
  return 0;
}

/// Reserves standard output for one answer: all other output, as from extensions and what they
/// load, goes to standard error.
class AnswerOutput {
 public:
  AnswerOutput() : descriptor_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)) {
    if (descriptor_ < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
      throw Error(std::string("standard output cannot be used: ") + std::strerror(errno));
  }
  AnswerOutput(const AnswerOutput&) = delete;
  AnswerOutput& operator=(const AnswerOutput&) = delete;

  void write(std::string_view text) const { write_all(descriptor_, text); }

 private:
  int descriptor_;
};

int print_calibration(const SessionOptions& options) {
  const AnswerOutput output;
  Session session(options);
  output.write(to_json(calibrate(session.device(), session.is_cuda(), CalibrationExtent::full)));
  std::_Exit(0);
}

int print_schemas(const std::vector<std::string>& extensions) {
  const AnswerOutput output;
  load_extensions(extensions);
  output.write(nlohmann::json(operator_schemas()).dump(1) + '\n');
  return 0;
}

/// Opens the file on that descriptor.
void replace_descriptor(int descriptor, const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (file < 0 || (file != descriptor && dup2(file, descriptor) < 0))
    throw Error("cannot open '" + path + "': " + std::strerror(errno));
}

int positive_number(const std::string& flag, const std::string& text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 1)
    throw Error(flag + " " + text + ": expected a whole number from 1 on");
  return number;
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
    } else if (flag == "--launches") {
      options.plain_launches = positive_number(flag, value);
    } else if (flag == "--requests") {
      replace_descriptor(kRequestDescriptor, value, O_RDONLY);
    } else if (flag == "--answers") {
      replace_descriptor(kAnswerDescriptor, value, O_WRONLY | O_CREAT | O_TRUNC);
    } else if (flag == "--calibration") {
      if (value != "none" && value != "brief")
        throw Error("--calibration " + value + ": allowed: none, brief");
      options.calibrates = value == "brief";
    } else if (flag == "--arena") {
      options.arena = value;
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
  if (arguments[0] == "--calibrate")
    return print_calibration(parse_options({arguments.begin() + 1, arguments.end()}));
  if (arguments[0] == "--schemas") return print_schemas({arguments.begin() + 1, arguments.end()});
  if (arguments[0] == "--compile" && arguments.size() > 1) {
    parse_options({arguments.begin() + 2, arguments.end()});  // opens the files
    return check_kernels(arguments[1]);
  }
  if (arguments[0] == "--lock-clocks") return keep_clocks(arguments);
  return serve(parse_options(arguments));
}

}  // namespace
}  // namespace plumbline

int plumbline_worker_main(int count, char** values) {
  try {
    return plumbline::run({values + 1, values + count});
  } catch (const std::exception& error) {
    std::cerr << "plumbline-worker: " << error.what() << '\n';
    return 2;
  }
}

const char* plumbline_worker_torch() { return TORCH_VERSION; }
