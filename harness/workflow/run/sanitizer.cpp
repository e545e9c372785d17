#include "workflow/run/sanitizer.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/error.h"
#include "core/moment.h"
#include "core/words.h"
#include "schedule/sanitizer.h"
#include "store/file.h"
#include "store/run/sanitizer_json.h"
#include "workflow/run/tool.h"
#include "workflow/setup/run_plan.h"
#include "workflow/setup/sandbox_view.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The tool is slow to start a worker and to write its summary.
constexpr double kStartTimeout_s = 1200;
constexpr double kFinishTimeout_s = 300;

std::string made_directory(const RunRequest& flags, const RunPlan& plan,
                           const std::string& started_at) {
  if (flags.output.empty())
    return new_run_directory(plan.project.places.runs, started_at, plan.info.environment.commit,
                             device_slug(plan.info.environment));
  std::error_code problem;
  fs::create_directories(flags.output, problem);
  if (problem) throw Error("cannot make the directory " + flags.output + ": " + problem.message());
  if (!fs::is_empty(flags.output))
    throw Error("-o " + flags.output + " is not empty; findings are written into a new directory");
  return flags.output;
}

/// Starts workers under the tool, each with its own log in `directory`.
SanitizedWorkerFactory sanitized_workers(const WorkerProgram& worker, const RunPlan& plan,
                                         ToolCall call, const std::string& directory,
                                         Interrupt* interrupt) {
  return [=, &plan, started = 0]() mutable -> SanitizedWorker {
    const Tool& tool = tool_named("sanitizer");
    call.output = fmt::format("{}/{}-{}{}", directory, call.check, ++started, tool.extension);
    WorkerCommand command =
        worker.command(plan.devices.front(), directory + "/worker.log", plan.loaded.cases);
    command.start_timeout_s = kStartTimeout_s;
    command.finish_timeout_s = kFinishTimeout_s;
    WorkerKind kind{Profile::sanitizer};
    kind.in_python = !command.in_python.empty();  // in Python all cases can be launched
    const auto words = tool_words(tool, call);
    for (auto* const argv : {&command.argv, &command.in_python}) {
      argv->insert(argv->begin(), words.begin(), words.end());
      argv->insert(argv->end(), {"--launches", std::to_string(tool.launches)});
    }
    auto process = std::make_unique<WorkerProcess>(command, kind, interrupt);
    if (!process->started()) process = nullptr;
    return {std::move(process),
            [path = call.output] { return fs::exists(path) ? read_text(path) : std::string(); }};
  };
}

SanitizerResult run_cases_under(const SanitizedWorkerFactory& factory, const RunPlan& plan,
                                const std::string& check, Talk& talk, Interrupt& interrupt) {
  SanitizerEvents events;
  events.on_case = [&](const Case& c) { talk.now(check + "  " + c.id); };
  events.on_note = [&](const std::string& note) { talk.note(note); };
  SanitizerResult result = check_cases(plan.loaded.cases, check, factory, events, &interrupt);
  talk.now("");
  return result;
}

}  // namespace

SanitizedSuites run_under_sanitizer(const RunRequest& request,
                                    const std::vector<std::string>& command, Talk& talk) {
  const std::string& check = request.sanitizer;
  require_check("--sanitizer", check);
  check_sandbox(request, talk);
  if (request.resume)
    throw Error("--resume does not go with --sanitizer: each check is a whole one");
  if (!request.lock_clocks.empty())
    throw Error("--lock-clocks does not go with --sanitizer: nothing is timed");
  const ToolCall call{find_tool(tool_named("sanitizer")), "", check, {}};
  const auto files = suite_files(request.suite.suites);
  const Project project = find_project(files.front(), request.places);
  const WorkerProgram worker = need_worker(request.worker, project.worker);
  const RunPlan plan = plan_run(request, worker, project, files, command, talk);
  talk.notes(plan.loaded.notes);
  const WorkerDevice& device = plan.devices.front();
  if (plan.devices.size() > 1) talk.note("--sanitizer uses one device: " + device.name);
  const Environment& environment = plan.info.environment;
  if (environment.device_kind != "cuda")
    talk.note(
        fmt::format("{} checks code of GPUs, and a case on {} runs none", check, device.name));
  SanitizerRun run{check, call.program, PLUMBLINE_VERSION, now_utc(), command, environment, {}};
  const auto locks =
      lock_devices(devices_of_ranks(worker, plan.devices, plan.loaded.cases), plan.info.command);
  Interrupt interrupt;  // before there is a directory to name
  SanitizedSuites outcome;
  outcome.directory = made_directory(request, plan, run.started_at);
  talk.say(fmt::format("{} of {} on {} ({}), into {}", check,
                       counted(plan.loaded.cases.size(), "case"), environment.device_class,
                       device.name, outcome.directory));
  SanitizerResult result =
      run_cases_under(sanitized_workers(worker, plan, call, outcome.directory, &interrupt), plan,
                      check, talk, interrupt);
  run.cases = std::move(result.cases);
  write_atomically(outcome.directory + "/sanitizer.json", sanitizer_json(run));
  if (result.interrupted) outcome.signal = interrupt.signal_number();
  outcome.cases = std::move(run.cases);
  outcome.launched = result.launched;
  return outcome;
}

}  // namespace plumbline
