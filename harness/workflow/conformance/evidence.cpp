#include "workflow/conformance/evidence.h"

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "core/last_line.h"
#include "core/op/op_spec.h"
#include "core/value.h"
#include "schedule/launched_worker.h"
#include "schedule/process/line_channel.h"
#include "store/file.h"
#include "workflow/scratch_folder.h"
#include "workflow/setup/suites.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;
using Heard = LineChannel::Heard;

constexpr const char* kUnknownOpName = "an_op_that_nobody_has";

double now_s() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

std::string with_print(const std::string& words, const std::string& printed) {
  return words + (printed.empty() ? "" : "; it printed: " + printed);
}

/// A worker of the program, on a device.
class Trial {
 public:
  Trial(const ConformanceRequest& request, const std::string& device)
      : limit_s_(request.timeout_s) {
    command_.argv = request.program;
    command_.argv.insert(command_.argv.end(), {"--device", device});
    command_.log_path = folder_.path() + "/worker.log";
    worker_ = launch_worker(command_, {}, "");
    channel_.emplace(std::move(worker_.requests), std::move(worker_.answers), *worker_.process,
                     nullptr, command_.longest_line_bytes);
  }

  double start_timeout_s() const { return within(command_.start_timeout_s); }
  double finish_timeout_s() const { return within(command_.finish_timeout_s); }
  double within(double timeout_s) const { return std::min(timeout_s, limit_s_); }

  /// Reads a line and returns "", or returns why there is none.
  std::string hear(double timeout_s, std::string& line) {
    switch (channel_->read_line(deadline_in(timeout_s), line)) {
      case Heard::line:
        return "";
      case Heard::late:
        return "nothing within " + shortest_text(timeout_s) + " s";
      case Heard::too_long:
        return "a line without an end";
      default:
        break;
    }
    const Ending end = ended(finish_timeout_s());
    const std::string torn = channel_->unfinished().empty() ? "" : " in the middle of a line";
    return with_print("it " + (end.failure.empty() ? end.words : end.failure) + torn, end.printed);
  }

  void send(const std::string& text) {
    // A worker that does not take the request does not answer, and the missing answer is reported.
    channel_->send(text, deadline_in(limit_s_));
  }

  void close_requests() { channel_->close_requests(); }

  Ending ended(double timeout_s) {
    Ending ending;
    if (!worker_.process->wait(deadline_in(timeout_s)))
      ending.failure = "did not end within " + shortest_text(timeout_s) + " s";
    const ProcessEnd& end = worker_.process->kill();
    ending.exit_code = end.signal == 0 ? end.exit_code : -1;
    ending.words = end.words();
    ending.printed = last_line(read_text(command_.log_path));
    return ending;
  }

  /// Everything that the worker says until it ends.
  Ending rest(double timeout_s) {
    std::vector<std::string> lines;
    for (std::string line;
         channel_->read_line(deadline_in(timeout_s), line) == Heard::line && lines.size() < 100;)
      lines.push_back(line);
    Ending ending = ended(timeout_s);
    ending.lines = std::move(lines);
    return ending;
  }

 private:
  double limit_s_;
  ScratchFolder folder_;
  WorkerCommand command_;
  LaunchedWorker worker_;
  std::optional<LineChannel> channel_;
};

/// Standard output of one call.
Printed asked(const ConformanceRequest& request, const char* flag) {
  std::vector<std::string> argv = request.program;
  argv.emplace_back(flag);
  const double timeout_s = std::min(request.timeout_s, WorkerCommand{}.start_timeout_s);
  const ProgramOutput output = run_program(argv, timeout_s);
  Printed printed;
  if (output.timed_out)
    printed.failure = "no answer within " + shortest_text(timeout_s) + " s";
  else if (output.end.signal != 0 || output.end.exit_code != 0)
    printed.failure = with_print(output.end.words(), last_line(output.err));
  else if (printed.json = Json::parse(output.out, nullptr, false); printed.json.is_discarded())
    printed.failure = "'" + output.out.substr(0, std::min<std::size_t>(60, output.out.find('\n'))) +
                      "', which is no JSON";
  return printed;
}

Policy short_policy() {
  Policy policy;
  policy.blocks_min = 2;
  policy.blocks_max = 4;
  policy.samples = 3;
  policy.budget_s = 0.01;
  policy.warmup_s = 0;
  policy.rounds = 1;
  return policy;
}

Case small_add(std::string_view backend) {
  Case c;
  c.suite = "conformance";
  c.op = c.name = "add";
  c.backend = backend;
  c.revision = "1";
  c.params = {{"dtype", "float32"}, {"elements", std::int64_t{65536}}, {"direction", "forward"}};
  c.id = case_id(c.name, c.backend, {{"dtype", "float32"}, {"elements", std::int64_t{65536}}});
  return c;
}

/// Cases that are tried; a worker must have one of them.
std::vector<Case> candidates(const std::string& suite) {
  if (suite.empty()) return {small_add(kWorkerBackend), small_add("libtorch")};
  return {load_suites({suite}, {}, nullptr, nullptr).cases.front()};
}

/// Adds keys that no version of the protocol has.
std::string with_newer_keys(const std::string& line) {
  Json json = Json::parse(line);
  json["later"] = true;
  for (const char* place : {"/measure", "/measure/case", "/measure/policy"})
    json[Json::json_pointer(place)]["later"] = {{"any", "thing"}};
  return json.dump() + '\n';
}

VisitRecord visit(Trial& trial, const MeasureRequest& request, bool has_newer_keys = false) {
  VisitRecord record{request, {}, "", {}, 0};
  const double begin_s = now_s();
  trial.send(has_newer_keys ? with_newer_keys(to_line(request)) : to_line(request));
  while (!record.answer && record.failure.empty()) {
    std::string line;
    record.failure = trial.hear(trial.within(request.policy.timeout_s), line);
    if (!record.failure.empty()) break;
    record.lines.push_back(line);
    try {
      record.answer = parse_worker_message(line).answer;
    } catch (const Error& error) {
      const Json json = Json::parse(line, nullptr, false);
      if (json.is_object() && json.contains("answer")) record.failure = error.what();
    }
  }
  record.elapsed_s = now_s() - begin_s;
  return record;
}

/// The visit of the first case that the worker has, or of the last case if it has none.
VisitRecord plain_visit(Trial& trial, const std::string& suite) {
  VisitRecord record;
  for (const Case& c : candidates(suite)) {
    record = visit(trial, {c, short_policy(), 0, 1, 1});
    if (!record.answer || record.answer->status != Status::unsupported) break;
  }
  return record;
}

void converse(Trial& trial, const std::string& suite, Evidence& evidence) {
  evidence.visits.push_back(plain_visit(trial, suite));
  const MeasureRequest plain = evidence.visits.front().request;
  MeasureRequest again = plain, unknown = plain;
  again.round = 1;
  unknown.subject.op = unknown.subject.name = kUnknownOpName;
  unknown.subject.declaration.reset();
  unknown.subject.id = std::string(kUnknownOpName) + '/' + unknown.subject.backend;
  for (const auto& [request, has_newer_keys] :
       {std::pair{again, false}, {unknown, false}, {plain, true}}) {
    if (!evidence.visits.back().answer) return;
    evidence.visits.push_back(visit(trial, request, has_newer_keys));
  }
}

/// Waits for the hello of a worker. Returns "" and the line, or why there is none.
std::string heard_hello(Trial& trial, std::string& line) {
  return trial.hear(trial.start_timeout_s(), line);
}

Ending ended_after(const ConformanceRequest& request, const std::string& device,
                   const std::string& text) {
  Trial trial(request, device);
  Ending ending;
  std::string line;
  if (ending.failure = heard_hello(trial, line); !ending.failure.empty()) return ending;
  if (!text.empty()) trial.send(text);
  trial.close_requests();
  return trial.rest(trial.finish_timeout_s());
}

std::string first_device(const Printed& devices) {
  const Json& list = devices.json;
  if (!list.is_array() || list.empty() || !list.front().is_object()) return "cpu";
  const auto name = list.front().find("device");
  return name != list.front().end() && name->is_string() ? name->get<std::string>() : "cpu";
}

}  // namespace

Evidence gather_evidence(const ConformanceRequest& request) {
  Evidence evidence;
  evidence.devices = asked(request, "--devices");
  evidence.schemas = asked(request, "--schemas");
  evidence.device = request.device.empty() ? first_device(evidence.devices) : request.device;
  const double begin_s = now_s();
  Trial trial(request, evidence.device);
  evidence.start_failure = heard_hello(trial, evidence.hello_line);
  evidence.start_s = now_s() - begin_s;
  if (!evidence.start_failure.empty()) return evidence;
  converse(trial, request.suite, evidence);
  if (evidence.visits.back().answer) {
    trial.send(finish_line());
    evidence.finished = trial.rest(trial.finish_timeout_s());
  } else {
    evidence.finished.failure = "it was not reached";
  }
  evidence.at_end_of_requests = ended_after(request, evidence.device, "");
  evidence.after_nonsense = ended_after(request, evidence.device, "{\"measure\": no JSON}\n");
  return evidence;
}

}  // namespace plumbline
