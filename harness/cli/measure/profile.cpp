/// plumbline profile: runs one case in a worker under an NVIDIA profiler or checker.
#include "workflow/run/profile.h"

#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "core/error.h"
#include "core/sanitizer.h"
#include "schedule/sanitizer_log.h"
#include "terminal/choice.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "workflow/run/tool.h"

namespace plumbline {
namespace {

/// Prints the findings of compute-sanitizer; returns the exit code.
int tell_findings(const std::string& check, const SanitizerReport& report) {
  if (report.is_clean()) return kExitOk;
  if (report.findings.empty() && report.errors == 0) throw Error(in_words(check, report));
  for (const SanitizerFinding& finding : report.findings) print_text(finding.text + "\n\n");
  say(fmt::format("{}\n", in_words(check, report)));
  return kExitRegression;
}

int tell(const ProfileRequest& request, const ProfileOutcome& outcome) {
  const auto& answer = outcome.answer;
  say(outcome.printed);
  const std::string ended = outcome.program + " " + outcome.end.words();
  const bool has_failed =
      answer && !has_samples(answer->status);  // this explains why the tool saw nothing
  if (const std::string why = known_obstacle(outcome.printed); !why.empty() && !has_failed)
    throw Error(ended + ": " + why);
  const int found = outcome.found ? tell_findings(request.check, *outcome.found) : kExitOk;
  if (found == kExitOk && !answer)
    throw Error(ended + ", and the worker gave no answer; what both printed stands above");
  if (found == kExitOk && !has_failed && !outcome.is_written)
    throw Error(ended + ", but did not write " + outcome.file);
  say(ended);
  if (answer && (found == kExitOk || has_failed))
    say(fmt::format("; the case is {}{}", name_of(answer->status),
                    answer->reason.empty() ? "" : ": " + answer->reason));
  say("\n");
  if (outcome.is_written) print_result(outcome.file + "\n");
  if (found != kExitOk) return found;
  if (outcome.end.signal != 0 || outcome.end.exit_code != 0) throw Error(ended);
  return has_failed ? kExitRegression : kExitOk;
}

int profile(const ProfileRequest& request, const std::vector<std::string>& command) {
  ConsoleTalk talk;
  const ProfileOutcome outcome = profile_case(request, command, talk);
  return outcome.signal != 0 ? kExitSignal + outcome.signal : tell(request, outcome);
}

std::vector<std::string> names_of_tools() {
  std::vector<std::string> names;
  for (const Tool& tool : tools()) names.emplace_back(tool.name);
  return names;
}

void add_profile_flags(CLI::App& app, ProfileRequest& request) {
  app.add_option("CASE", request.case_id, "id of the case, as `plumbline list` shows it")
      ->required();
  app.add_option("SUITE", request.suite.suites,
                 "suites in which the case is looked for; else all of suites/");
  app.add_option("--tool", request.tool, "ncu, nsys or sanitizer")
      ->required()
      ->type_name("TOOL")
      ->check(one_of(names_of_tools()));
  app.add_option("--check", request.check,
                 "with --tool sanitizer: memcheck, racecheck, initcheck or synccheck [memcheck]")
      ->type_name("CHECK")
      ->check(one_of({kSanitizerTools.begin(), kSanitizerTools.end()}));
  app.add_option("--launches", request.launches,
                 "launches of the case that are captured [ncu 1, nsys 20, sanitizer 3]")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  add_list_flag(app, "--tool-flag", request.tool_flags,
                "a further flag for the tool, as in --tool-flag=--section=MemoryWorkloadAnalysis")
      ->type_name("FLAG");
  add_list_flag(app, "--set", request.suite.set,
                "axis=value: replaces an axis of the suites, as in `plumbline run`")
      ->type_name("AXIS=VALUE");
  app.add_option("-o,--output", request.output, "folder of the tool's file [.]")->type_name("DIR");
  add_worker_flags(app, request.worker);
}

}  // namespace

Command profile_command() {
  return {"profile", "Run one case under Nsight Compute, Nsight Systems or Compute Sanitizer",
          [](CLI::App& app) {
            auto flags = std::make_shared<ProfileRequest>();
            add_profile_flags(app, *flags);
            app.footer(
                "Standard output: the file that the tool wrote, named after the case. The tool "
                "captures only launches of the case, neither held nor timed: the NVTX range "
                "`launches` of "
                "the domain `plumbline`.\nExit codes: 0; 1 findings, or a case that fails; 2 a "
                "mistake, a tool that is missing or fails; 130 interrupted.");
            return Action([flags](const auto& command) { return profile(*flags, command); });
          }};
}

}  // namespace plumbline
