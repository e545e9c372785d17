/// plumbline run: measures the cases of suites on one device into a run directory.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/measure/run_json.h"
#include "cli/run_output.h"
#include "core/error.h"
#include "core/words.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/run/sanitizer.h"

namespace plumbline {
namespace {

struct RunFlags {
  RunRequest request;
  bool json = false, dry_run = false;
};

std::string table_of(const std::vector<CheckedCase>& cases) {
  Table table({{"case", Fit::id}, {"status"}, {"errors", Fit::number}, {"found", Fit::text}});
  for (const CheckedCase& checked : cases) {
    const Colour colour = is_failure(checked.status) ? Colour::red : Colour::none;
    table.add({{checked.case_id},
               {std::string(name_of(checked.status)), colour},
               {std::to_string(checked.report.errors)},
               {checked.reason}});
  }
  return table.text();
}

int show(const SanitizedSuites& outcome) {
  print_text(table_of(outcome.cases));
  print_result(outcome.directory + "\n");
  const std::string launched = counted(outcome.launched, "case");
  if (outcome.signal != 0) {
    say(fmt::format("interrupted; {} had been checked\n", launched));
    return kExitSignal + outcome.signal;
  }
  if (outcome.launched == 0) throw Error("nothing was checked: no case could be launched");
  const auto failed = std::ranges::count_if(outcome.cases, is_failure, &CheckedCase::status);
  say(fmt::format("{} launched, {} with findings or failures; the details are in {}\n", launched,
                  failed, outcome.directory + "/sanitizer.json"));
  return failed > 0 ? kExitRegression : kExitOk;
}

int run(const RunFlags& flags, const std::vector<std::string>& command) try {
  const RunRequest& request = flags.request;
  if (flags.json && !request.sanitizer.empty())
    throw Error("--json does not go with --sanitizer: sanitizer.json is in the run's directory");
  ConsoleTalk talk;
  if (flags.dry_run && (flags.json || !request.sanitizer.empty()))
    throw Error("--dry-run goes neither with --json nor with --sanitizer");
  if (flags.dry_run) {
    print_text(plan_in_words(request, command, talk) + "\n");
    print_note(kDryRunNote);
    return kExitOk;
  }
  if (!request.sanitizer.empty()) return show(run_under_sanitizer(request, command, talk));
  const RunOutcome outcome = run_suites(request, command, talk);
  const RunCounts counts = tell_run(outcome, command, {!flags.json}, talk);
  if (outcome.signal != 0) return kExitSignal + outcome.signal;
  if (flags.json) print_result(run_json(outcome));
  return counts.failed > 0 ? kExitRegression : kExitOk;
} catch (const UnfinishedRun& error) {
  throw with_resume_command(error, command);
}

}  // namespace

Command run_command() {
  return {"run", "Measure the cases of suites into a run directory", [](CLI::App& app) {
            auto flags = std::make_shared<RunFlags>();
            add_run_flags(app, flags->request);
            add_dry_run_flag(app, flags->dry_run);
            app.add_flag("--json", flags->json, "print the results as JSON instead of the table");
            app.footer(
                "Standard output: a table of the results, and as its last line the run's "
                "directory.\nCtrl-C ends the run cleanly and prints the command that goes on with "
                "it.\nExit codes: 0 measured; 1 a case is WRONG, CRASHED, TIMEOUT or "
                "OUT_OF_MEMORY; 2 a mistake, a full disk, or no case could be measured; 3 the "
                "worker was replaced meanwhile; 130 interrupted.");
            return Action([flags](const auto& command) { return run(*flags, command); });
          }};
}

}  // namespace plumbline
