/// plumbline ab: measures two sides together, in pairs.
#include "workflow/judge/ab.h"

#include <memory>

#include "cli/command.h"
#include "cli/judge/verdict_files.h"
#include "cli/judge/verdict_text.h"
#include "cli/pair_flags.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"

namespace plumbline {
namespace {

struct AbFlags {
  AbRequest request;
  PairFlags pairs;
  VerdictFiles files;
  bool json = false;
};

int ab(const AbFlags& flags, const std::vector<std::string>& command) {
  require_one_output(flags.files, flags.json);
  AbRequest request = flags.request;
  request.pairs = options_of(flags.pairs);  // mistakes are reported before anything is built
  request.command = command;
  ConsoleTalk talk;
  const AbResult measured = measure_ab(request, talk);
  if (measured.signal != 0) return kExitSignal + measured.signal;
  const Comparison& comparison = *measured.judged.comparison;
  write_verdict_files(comparison, flags.files);
  const std::string page = measured.folder + "/report.html";
  write_page(measured.judged, page, "", "", talk);
  if (flags.json)
    print_result(json_of(comparison));
  else if (!takes_standard_output(flags.files))
    print_text(verdict_text(comparison, page) + measured.folder + "\n");
  return exit_code(comparison);
}

}  // namespace

Command ab_command() {
  return {
      "ab", "Measure two folders or revisions side by side, in pairs", [](CLI::App& app) {
        auto flags = std::make_shared<AbFlags>();
        app.add_option("A", flags->request.a,
                       "the baseline's side: a folder, a revision of git, or a worker")
            ->required();
        app.add_option("B", flags->request.b, "the candidate's side, in the same form")->required();
        add_suite_flags(app, flags->request.run.suite);
        add_policy_flags(app, flags->request.run.suite);
        add_worker_flags(app, flags->request.run.worker);
        add_runs_flag(app, flags->request.run.places);
        add_pair_flags(app, flags->pairs);
        add_side_flags(app, flags->request.sides);
        app.add_option("-o,--output", flags->request.run.output,
                       "a folder for the runs a and b, comparison.json and report.html; else "
                       "<runs>/<time>-<commit>-ab")
            ->type_name("DIR");
        add_verdict_files(app, flags->files);
        app.add_flag("--json", flags->json, "print comparison.json");
        app.footer(
            "Each side has its own suites, sources, plug-ins, extensions and worker. A SUITE is "
            "read at the same place of both; a revision is the present folder as it was then, "
            "checked out in the cache and built by `build:` of plumbline.yaml.\nExit codes: 0 "
            "nothing regressed; 1 a case is SLOWER or BROKEN; 2 a mistake; 3 it could not "
            "judge: a case was not judged or is missing, a third of the cases is too noisy, or a "
            "worker was replaced meanwhile; 130 interrupted.");
        return Action([flags](const auto& command) { return ab(*flags, command); });
      }};
}

}  // namespace plumbline
