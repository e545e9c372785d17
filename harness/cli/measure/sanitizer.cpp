#include "cli/measure/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/run_output.h"
#include "core/error.h"
#include "core/moment.h"
#include "core/words.h"
#include "schedule/sanitizer.h"
#include "store/file.h"
#include "store/run/sanitizer_json.h"
#include "workflow/plan/run_plan.h"
#include "workflow/run/tool.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The tool takes its time to start a worker, and to write its summary.
constexpr double kStartTimeout_s = 1200;
constexpr double kFinishTimeout_s = 300;

void check_name(const std::string& check) {
  if (std::ranges::find(kSanitizerTools, check) != kSanitizerTools.end()) return;
  std::string known;
  for (const std::string_view name : kSanitizerTools)
    known += (known.empty() ? "" : ", ") + std::string(name);
  throw Error("--sanitizer " + check + ": there is no such tool; there are: " + known);
}

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

/// Workers under the tool, each with a log of its own in `directory`.
SanitizedWorkerFactory sanitized_workers(const WorkerProgram& worker, const Device& device,
                                         ToolCall call, const std::string& directory,
                                         Interrupt* interrupt) {
  return [=, started = 0]() mutable -> SanitizedWorker {
    const Tool& tool = tool_named("sanitizer");
    call.output = fmt::format("{}/{}-{}{}", directory, call.check, ++started, tool.extension);
    WorkerCommand command = worker.command(device, directory + "/worker.log");
    command.start_timeout_s = kStartTimeout_s;
    command.finish_timeout_s = kFinishTimeout_s;
    const auto words = tool_words(tool, call);
    command.argv.insert(command.argv.begin(), words.begin(), words.end());
    command.argv.insert(command.argv.end(), {"--launches", std::to_string(tool.launches)});
    auto process =
        std::make_unique<WorkerProcess>(command, WorkerKind{Profile::sanitizer}, interrupt);
    if (!process->started()) process = nullptr;
    return {std::move(process),
            [path = call.output] { return fs::exists(path) ? read_text(path) : std::string(); }};
  };
}

bool fails(const CheckedCase& checked) {
  using enum Status;
  return checked.status == wrong || checked.status == crashed || checked.status == timeout ||
         checked.status == out_of_memory;
}

std::string table_of(const std::vector<CheckedCase>& cases) {
  Table table({"case", "status", "errors", "found"}, {false, false, true, false});
  for (const CheckedCase& checked : cases) {
    const Colour colour = fails(checked) ? Colour::red : Colour::none;
    table.add({{checked.case_id},
               {std::string(name_of(checked.status)), colour},
               {std::to_string(checked.report.errors)},
               {checked.reason}});
  }
  return table.text();
}

SanitizerResult run_cases_under(const SanitizedWorkerFactory& factory, const RunPlan& plan,
                                const std::string& check, Interrupt& interrupt) {
  std::vector<Case> cases;
  for (const Case& c : plan.loaded.cases)
    if (plan.shard.holds(c)) cases.push_back(c);
  StatusLine status;
  SanitizerEvents events;
  events.on_case = [&](const Case& c) { status.show(check + "  " + c.id); };
  events.on_note = [&](const std::string& note) {
    status.clear();
    print_note(note);
  };
  return check_cases(cases, check, factory, events, &interrupt);
}

}  // namespace

int check_suites(const RunRequest& flags, const std::vector<std::string>& command) {
  const std::string& check = flags.sanitizer;
  check_name(check);
  if (flags.resume) throw Error("--resume does not go with --sanitizer: each check is a whole one");
  if (!flags.lock_clocks.empty())
    throw Error("--lock-clocks does not go with --sanitizer: nothing is timed");
  const char* const path = std::getenv("PATH");
  const ToolCall call{find_tool(tool_named("sanitizer"), path ? path : ""), "", check, {}};
  const auto files = suite_files(flags.suite.suites);
  const Project project = find_project(files.front(), flags.places);
  const WorkerProgram worker = need_worker(flags.worker, project.worker);
  ConsoleTalk talk;
  const RunPlan plan = plan_run(flags, worker, project, files, command, talk);
  for (const std::string& note : plan.loaded.notes) print_note(note);
  if (plan.devices.size() > 1)
    print_note("--sanitizer uses one device: " + plan.devices.front().name);
  const Environment& device = plan.info.environment;
  if (device.device_kind != "cuda")
    print_note(fmt::format("{} checks code of GPUs, and a case on {} runs none", check,
                           plan.devices.front().name));
  SanitizerRun run{check, call.program, PLUMBLINE_VERSION, now_utc(), command, device, {}};
  const auto locks = lock_devices(plan.devices, plan.info.command);
  Interrupt interrupt;  // before there is anything to name
  const std::string directory = made_directory(flags, plan, run.started_at);
  say(fmt::format("{} of {} on {} ({}), into {}\n", check,
                  counted(plan.loaded.cases.size(), "case"), device.device_class,
                  plan.devices.front().name, directory));
  SanitizerResult result =
      run_cases_under(sanitized_workers(worker, plan.devices.front(), call, directory, &interrupt),
                      plan, check, interrupt);
  run.cases = std::move(result.cases);
  write_atomically(directory + "/sanitizer.json", sanitizer_json(run));
  print_text(table_of(run.cases));
  print_result(directory + "\n");
  if (result.interrupted) {
    say(fmt::format("interrupted; {} had been checked\n", counted(result.launched, "case")));
    return kExitSignal + interrupt.signal_number();
  }
  if (result.launched == 0) throw Error("nothing was checked: no case could be launched");
  const auto failed = std::size_t(std::ranges::count_if(run.cases, fails));
  say(fmt::format("{} launched, {} with findings or failures; the details are in {}\n",
                  counted(result.launched, "case"), failed, directory + "/sanitizer.json"));
  return failed > 0 ? kExitRegression : kExitOk;
}

}  // namespace plumbline
