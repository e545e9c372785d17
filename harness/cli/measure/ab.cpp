/// plumbline ab: measures two sides together, in pairs.
#include "workflow/judge/ab.h"

#include <memory>

#include "cli/command.h"
#include "cli/measure/ab_result.h"
#include "cli/pair_flags.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"

namespace plumbline {
namespace {

struct AbFlags {
  AbRequest request;
  PairFlags pairs;
  AbOutput output;
};

int ab(const AbFlags& flags, const std::vector<std::string>& command) {
  require_one_output(flags.output.files, flags.output.json);
  AbRequest request = flags.request;
  request.pairs = options_of(flags.pairs);  // mistakes are reported before anything is built
  request.command = command;
  ConsoleTalk talk;
  return tell_ab(measure_ab(std::move(request), talk), flags.output, talk);
}

}  // namespace

Command ab_command() {
  return {
      "ab", "Measure two folders or revisions side by side, in pairs", [](CLI::App& app) {
        auto flags = std::make_shared<AbFlags>();
        app.add_option(
               "A", flags->request.a.text,
               "the baseline's side: a folder, a revision of git, a worker, or venv:FOLDER, an "
               "environment of Python that has a worker")
            ->required();
        app.add_option("B", flags->request.b.text, "the candidate's side, in the same form")
            ->required();
        add_suite_flags(app, flags->request.run.suite);
        add_policy_flags(app, flags->request.run.suite);
        add_worker_flags(app, flags->request.run.worker);
        add_sandbox_flags(app, flags->request.run.worker);
        add_runs_flag(app, flags->request.run.places);
        add_pair_flags(app, flags->pairs);
        add_side_flags(app, flags->request.sides);
        add_ab_output(app, flags->request, flags->output);
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
