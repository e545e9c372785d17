#include "workflow/run/profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "core/moment.h"
#include "core/words.h"
#include "schedule/process/interrupt.h"
#include "schedule/sanitizer_log.h"
#include "store/file.h"
#include "workflow/run/tool.h"
#include "workflow/setup/project.h"
#include "workflow/setup/run_plan.h"
#include "workflow/setup/suites.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr double kInterruptPoll_s = 0.1;
constexpr std::size_t kLongestName = 200;

/// All suites in suites/ of the current folder's project, else all stock suites; recursive.
std::vector<std::string> all_suites() {
  const auto project = find_upwards(".", "plumbline.yaml");
  const fs::path own = project ? fs::path(*project).parent_path() / "suites" : fs::path("suites");
  const fs::path folder = fs::is_directory(own) ? own : stock_folder();
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(folder, none))
    if (entry.is_regular_file() && entry.path().extension() == ".yaml")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  if (files.empty())
    throw Error("there are no suites in " + own.string() + "; name the suite of the case");
  return files;
}

/// The single case that the request selects.
Case chosen_case(const ProfileRequest& request, const std::vector<std::string>& files,
                 const WorkerProgram& worker, const WorkerDevice& device, Talk& talk) {
  SuiteRequest suite = request.suite;
  suite.selection.cases = {request.case_id};
  const LoadedSuites loaded = load_suites(files, suite, &worker, &device.environment);
  talk.notes(loaded.notes);
  const Case& chosen = loaded.cases.front();
  if (loaded.cases.size() > 1)
    talk.note(fmt::format("{} suites have this case; it is taken from '{}'", loaded.cases.size(),
                          chosen.suite));
  const std::string& why = chosen.excluded.empty() ? chosen.unsupported : chosen.excluded;
  if (!why.empty()) throw Error("this case does not run here: " + why);
  return chosen;
}

/// The id as a file name that people can type: letters, digits and `._=-` are kept.
std::string file_stem(const std::string& id) {
  std::string name;
  for (const char c : id) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '=';
    name += keep ? c : '-';
  }
  return name.size() <= kLongestName ? name
                                     : name.substr(0, kLongestName) + "-" + stable_hash_text(id);
}

/// The path of an output file: <case><what>, in the folder of -o.
std::string path_of(const ProfileRequest& request, std::string_view what) {
  std::error_code problem;
  fs::create_directories(request.output, problem);
  if (problem) throw Error("-o " + request.output + ": " + problem.message());
  const std::string name = file_stem(request.case_id);
  return (fs::path(request.output) / (name + std::string(what))).string();
}

/// Runs the program to its end, with its output in `log`; nothing if the user interrupts it.
std::optional<ProcessEnd> run_to_end(const std::vector<std::string>& argv, const std::string& log,
                                     Interrupt& interrupt) {
  const Descriptor file = open_to_append(log);
  ChildProcess child(argv, {{file.get(), STDOUT_FILENO}, {file.get(), STDERR_FILENO}});
  while (!child.wait(deadline_in(kInterruptPoll_s)))
    if (interrupt.requested()) return std::nullopt;
  return child.poll_end();
}

}  // namespace

ProfileOutcome profile_case(const ProfileRequest& request, const std::vector<std::string>& command,
                            Talk& talk) {
  const Tool& tool = tool_named(request.tool);
  require_check("--check", request.check);
  const std::string program = find_tool(tool);
  const auto files =
      request.suite.suites.empty() ? all_suites() : suite_files(request.suite.suites);
  const Project project = find_project(files.front(), PlaceRequest{});
  const WorkerProgram worker = need_worker(request.worker, project.worker);
  const WorkerDevice device =
      choose_devices(worker.devices(), wanted_device(request.worker, project)).front();
  const Case chosen = chosen_case(request, files, worker, device, talk);
  const ToolCall call{program, path_of(request, tool.extension), request.check, request.tool_flags};

  const std::string requests = path_of(request, ".requests.jsonl");
  const std::string answers = path_of(request, ".answers.jsonl");
  const std::string log = path_of(request, "." + std::string(tool.name) + ".log");
  for (const std::string& old : {answers, log, call.output}) fs::remove(old);
  write_atomically(requests,
                   to_line(MeasureRequest{chosen, *chosen.policy, 0, chosen.policy->seed}));
  std::vector<std::string> argv = tool_words(tool, call);
  const WorkerCommand started = worker.command(device, log, {&chosen, 1});
  const auto& words = started.in_python.empty() ? started.argv : started.in_python;
  argv.insert(argv.end(), words.begin(), words.end());
  const std::int64_t launches = request.launches > 0 ? request.launches : tool.launches;
  argv.insert(argv.end(), {"--profile", std::string(tool.profile), "--launches",
                           std::to_string(launches), "--requests", requests, "--answers", answers});
  talk.say(shell_command(argv));
  const auto locks = lock_devices(devices_of_ranks(worker, {device}, {&chosen, 1}), command);
  Interrupt interrupt;
  ProfileOutcome outcome;
  const auto end = run_to_end(argv, log, interrupt);
  if (!end) {
    outcome.signal = interrupt.signal_number();
    return outcome;
  }
  outcome.program = tool.program;
  outcome.end = *end;
  if (fs::exists(answers))
    for (MeasureAnswer& answer : answers_in(read_text(answers))) outcome.answer = std::move(answer);
  outcome.printed = read_text(log);
  outcome.file = call.output;
  outcome.is_written = fs::exists(call.output);
  if (tool.name == "sanitizer")
    outcome.found =
        parse_sanitizer_log(outcome.is_written ? read_text(call.output) : std::string());
  fs::remove(requests);
  fs::remove(answers);
  return outcome;
}

}  // namespace plumbline
