/// plumbline check: the gate.
#include "workflow/judge/check.h"

#include <memory>

#include "cli/command.h"
#include "cli/judge/verdict_files.h"
#include "cli/judge/verdict_text.h"
#include "cli/pair_flags.h"
#include "cli/run_output.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"

namespace plumbline {
namespace {

struct CheckFlags {
  CheckRequest request;
  PairFlags pairs;
  std::string baseline_tree, baseline_ref;
  VerdictFiles files;
  bool json = false;
};

void add_check_flags(CLI::App& app, CheckFlags& flags) {
  add_run_flags(app, flags.request.run);
  add_baselines_flag(app, flags.request.run.places);
  add_pair_flags(app, flags.pairs);
  app.add_option("--baseline", flags.request.baseline,
                 "a run, or a baseline file, instead of what is accepted in --baselines")
      ->type_name("PATH");
  app.add_option("--baseline-tree", flags.baseline_tree,
                 "folder of the baseline's side, with its own suites, sources and build. Cases "
                 "that look changed, and 1 % of the others, are measured again in pairs with it; "
                 "without an accepted baseline, all cases")
      ->type_name("FOLDER");
  app.add_option(
         "--baseline-ref", flags.baseline_ref,
         "the same for a revision of git, which is checked out and built in the cache, and kept")
      ->type_name("REVISION")
      ->excludes("--baseline-tree");
  app.add_flag("--rerun", flags.request.measures_again,
               "without the baseline's side: measure cases that look changed again later, only "
               "this side; weaker than pairs")
      ->excludes("--baseline-tree")
      ->excludes("--baseline-ref");
  add_side_flags(app, flags.request.sides);
  add_history_flag(app, flags.request.run.places);
  app.add_flag("--trust-screen", flags.request.trusts_screen,
               "call a case SLOWER (exit code 1) if it looks slower, without confirmation by "
               "pairs, a later run or history");
  add_verdict_files(app, flags.files);
  app.add_flag("--json", flags.json, "print comparison.json");
  app.footer(
      "Exit codes: 0 nothing regressed; 1 a case is SLOWER or BROKEN; 2 a mistake; 3 a case looks "
      "slower and nothing confirms it, or was not judged, the run or a part of it shifted, a third "
      "of the cases could not have shown what counts, there is no baseline, or the worker was "
      "replaced meanwhile; 130 interrupted.");
}

CheckRequest request_of(const CheckFlags& flags, const std::vector<std::string>& command) {
  CheckRequest request = flags.request;
  request.pairs = options_of(flags.pairs);
  if (!flags.baseline_ref.empty())
    request.baseline_side = {flags.baseline_ref, SideKind::revision};
  else if (!flags.baseline_tree.empty())
    request.baseline_side = {flags.baseline_tree, SideKind::folder};
  request.command = command;
  return request;
}

int show(const CheckFlags& flags, const CheckResult& checked, Talk& talk) {
  const std::string& directory = checked.directory;
  const auto& comparison = checked.judged.comparison;
  if (!comparison && checked.signal != 0) return kExitSignal + checked.signal;
  if (!comparison) return tell_no_baseline(checked.baselines, directory, *checked.judged.candidate);
  const std::string page = directory + "/report.html";
  write_verdict_files(*comparison, flags.files);
  write_page(checked.judged, page, "", checked.history, talk);
  if (flags.json)
    print_result(json_of(*comparison));
  else if (!takes_standard_output(flags.files))
    print_text(verdict_text(*comparison, page) + page + "\n");
  return exit_code(*comparison);
}

int check_and_show(const CheckFlags& flags, const std::vector<std::string>& command) {
  require_one_output(flags.files, flags.json);
  ConsoleTalk talk;
  const RunTelling telling{!flags.json && !takes_standard_output(flags.files), /*is_judged=*/true};
  try {
    const CheckResult checked = check(request_of(flags, command), talk, [&](const RunOutcome& run) {
      tell_run(run, command, telling, talk);
    });
    return show(flags, checked, talk);
  } catch (const UnfinishedRun& error) {
    throw with_resume_command(error, command);
  }
}

}  // namespace

Command check_command() {
  return {"check", "Run suites and judge them: compare with the baseline, confirm in pairs, report",
          [](CLI::App& app) {
            auto flags = std::make_shared<CheckFlags>();
            add_check_flags(app, *flags);
            return Action([flags](const auto& command) { return check_and_show(*flags, command); });
          }};
}

}  // namespace plumbline
