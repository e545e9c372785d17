/// plumbline profile: one case in a worker under a profiler or checker of NVIDIA's.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "core/error.h"
#include "core/moment.h"
#include "core/sanitizer.h"
#include "core/words.h"
#include "protocol/messages.h"
#include "schedule/child_process.h"
#include "schedule/device_lock.h"
#include "schedule/interrupt.h"
#include "schedule/sanitizer_log.h"
#include "store/file.h"
#include "workflow/plan/project.h"
#include "workflow/plan/suites.h"
#include "workflow/run/tool.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr double kInterruptPoll_s = 0.1;
constexpr std::size_t kLongestName = 200;

struct ProfileFlags {
  SuiteRequest suite;
  WorkerRequest worker;
  std::string case_id, tool, check = "memcheck", output = ".";
  std::int64_t launches = 0;  // 0: as the tool's row has it
  std::vector<std::string> tool_flags;
};

/// suites/ of the project that the present folder belongs to, else the stock suites; with all that
/// lies below.
std::vector<std::string> all_suites() {
  const auto project = find_upwards(".", "plumbline.yaml");
  const fs::path own = project ? fs::path(*project).parent_path() / "suites" : fs::path("suites");
  const fs::path stock = fs::path(program_folder()).parent_path() / "share/plumbline/suites";
  const fs::path folder = fs::is_directory(own) ? own : stock;
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

/// The one case that is meant.
Case chosen_case(const ProfileFlags& flags, const std::vector<std::string>& files,
                 const WorkerProgram& worker, const Device& device) {
  SuiteRequest suite = flags.suite;
  suite.selection.cases = {flags.case_id};
  const LoadedSuites loaded = load_suites(files, suite, &worker, &device.environment);
  for (const std::string& note : loaded.notes) print_note(note);
  const Case& chosen = loaded.cases.front();
  if (loaded.cases.size() > 1)
    print_note(fmt::format("{} suites have this case; it is taken from '{}'", loaded.cases.size(),
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

/// Files of one call: <case><what>, in the folder of -o.
std::string path_of(const ProfileFlags& flags, std::string_view what) {
  std::error_code problem;
  fs::create_directories(flags.output, problem);
  if (problem) throw Error("-o " + flags.output + ": " + problem.message());
  const std::string name = file_stem(flags.case_id);
  return (fs::path(flags.output) / (name + std::string(what))).string();
}

/// Runs it to its end, its talk in `log`; nothing where the user does not want to wait for it.
std::optional<ProcessEnd> run_to_end(const std::vector<std::string>& argv, const std::string& log,
                                     Interrupt& interrupt) {
  const Descriptor file = open_to_append(log);
  ChildProcess child(argv, {{file.get(), STDOUT_FILENO}, {file.get(), STDERR_FILENO}});
  while (!child.wait(deadline_in(kInterruptPoll_s)))
    if (interrupt.requested()) return std::nullopt;
  return child.poll_end();
}

/// The answer among the lines that the worker wrote; nothing where it did not come to one.
std::optional<MeasureAnswer> answer_in(const std::string& path) {
  if (!fs::exists(path)) return std::nullopt;
  const std::string text = read_text(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const WorkerMessage message = parse_worker_message(text.substr(begin, end - begin));
    if (message.answer) return message.answer;
    begin = end + 1;
  }
  return std::nullopt;
}

/// What compute-sanitizer found, told; the exit code.
int tell_findings(const std::string& check, const std::string& log) {
  const SanitizerReport report =
      parse_sanitizer_log(fs::exists(log) ? read_text(log) : std::string());
  if (report.is_clean()) return kExitOk;
  if (report.findings.empty() && report.errors == 0) throw Error(in_words(check, report));
  for (const SanitizerFinding& finding : report.findings) print_text(finding.text + "\n\n");
  say(fmt::format("{}\n", in_words(check, report)));
  return kExitRegression;
}

int tell(const ProfileFlags& flags, const Tool& tool, const ToolCall& call, const ProcessEnd& end,
         const std::optional<MeasureAnswer>& answer, const std::string& talk) {
  const bool is_sanitizer = tool.name == "sanitizer";
  say(talk);
  const std::string ended = std::string(tool.program) + " " + end.words();
  const bool has_failed =
      answer && !has_samples(answer->status);  // that is why the tool saw nothing
  if (const std::string why = known_obstacle(talk); !why.empty() && !has_failed)
    throw Error(ended + ": " + why);
  const int found = is_sanitizer ? tell_findings(flags.check, call.output) : kExitOk;
  if (found == kExitOk && !answer)
    throw Error(ended + ", and the worker gave no answer; what both printed stands above");
  const bool is_written = fs::exists(call.output);
  if (found == kExitOk && !has_failed && !is_written)
    throw Error(ended + ", but did not write " + call.output);
  say(ended);
  if (answer && (found == kExitOk || !has_samples(answer->status)))
    say(fmt::format("; the case is {}{}", name_of(answer->status),
                    answer->reason.empty() ? "" : ": " + answer->reason));
  say("\n");
  if (is_written) print_result(call.output + "\n");
  if (found != kExitOk) return found;
  if (end.signal != 0 || end.exit_code != 0) throw Error(ended);
  return has_samples(answer->status) ? kExitOk : kExitRegression;
}

int profile(const ProfileFlags& flags, const std::vector<std::string>& command) {
  const Tool& tool = tool_named(flags.tool);
  if (std::ranges::find(kSanitizerTools, flags.check) == kSanitizerTools.end())
    throw Error("--check " + flags.check +
                ": there are memcheck, racecheck, initcheck and synccheck");
  const char* const path = std::getenv("PATH");
  const std::string program = find_tool(tool, path ? path : "");
  const auto files = flags.suite.suites.empty() ? all_suites() : suite_files(flags.suite.suites);
  const WorkerProgram worker = need_worker(flags.worker, find_project(files.front(), {}).worker);
  const Device device = choose_devices(worker.devices(), flags.worker.device).front();
  const Case chosen = chosen_case(flags, files, worker, device);
  const ToolCall call{program, path_of(flags, tool.extension), flags.check, flags.tool_flags};

  const std::string requests = path_of(flags, ".requests.jsonl");
  const std::string answers = path_of(flags, ".answers.jsonl");
  const std::string log = path_of(flags, "." + std::string(tool.name) + ".log");
  for (const std::string& old : {answers, log, call.output}) fs::remove(old);
  write_atomically(requests,
                   to_line(MeasureRequest{chosen, *chosen.policy, 0, chosen.policy->seed}));
  std::vector<std::string> argv = tool_words(tool, call);
  const WorkerCommand started = worker.command(device, log);
  argv.insert(argv.end(), started.argv.begin(), started.argv.end());
  const std::int64_t launches = flags.launches > 0 ? flags.launches : tool.launches;
  argv.insert(argv.end(), {"--profile", std::string(tool.profile), "--launches",
                           std::to_string(launches), "--requests", requests, "--answers", answers});
  say(fmt::format("{}\n", shell_command(argv)));
  const DeviceLock lock(
      device.environment.device_uuid(),
      fmt::format("'{}' (process {}, since {})", shell_command(command), getpid(), now_utc()));
  Interrupt interrupt;
  const auto end = run_to_end(argv, log, interrupt);
  if (!end) return kExitSignal + interrupt.signal_number();
  const auto answer = answer_in(answers);
  fs::remove(requests);
  fs::remove(answers);
  return tell(flags, tool, call, *end, answer, read_text(log));
}

void add_profile_flags(CLI::App& app, ProfileFlags& flags) {
  app.add_option("CASE", flags.case_id, "id of the case, as `plumbline list` shows it")->required();
  app.add_option("SUITE", flags.suite.suites,
                 "suites in which the case is looked for; else all of suites/");
  app.add_option("--tool", flags.tool, "ncu, nsys or sanitizer")->required()->type_name("TOOL");
  app.add_option("--check", flags.check,
                 "with --tool sanitizer: memcheck, racecheck, initcheck or synccheck [memcheck]")
      ->type_name("CHECK");
  app.add_option("--launches", flags.launches,
                 "launches of the case that are captured [ncu 1, nsys 20, sanitizer 3]")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  add_list_flag(app, "--tool-flag", flags.tool_flags,
                "a further flag for the tool, as in --tool-flag=--section=MemoryWorkloadAnalysis")
      ->type_name("FLAG");
  add_list_flag(app, "--set", flags.suite.set,
                "axis=value: replaces an axis of the suites, as in `plumbline run`")
      ->type_name("AXIS=VALUE");
  app.add_option("-o,--output", flags.output, "folder of the tool's file [.]")->type_name("DIR");
  add_worker_flags(app, flags.worker);
}

}  // namespace

Command profile_command() {
  return {
      "profile", "Run one case under Nsight Compute, Nsight Systems or Compute Sanitizer",
      [](CLI::App& app) {
        auto flags = std::make_shared<ProfileFlags>();
        add_profile_flags(app, *flags);
        app.footer(
            "Standard output: the file that the tool wrote, named after the case. Captured are "
            "launches of the\ncase itself, neither held nor timed: the NVTX range `launches` of "
            "the domain `plumbline`.\nExit codes: 0; 1 findings, or a case that fails; 2 a "
            "mistake, a tool that is missing or fails;\n130 interrupted.");
        return Action([flags](const auto& command) { return profile(*flags, command); });
      }};
}

}  // namespace plumbline
