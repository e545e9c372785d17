/// plumbline ab: two sides measured beside each other, in pairs.
#include <filesystem>
#include <memory>

#include "analysis/compare/side_code.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "cli/judge/verdict_files.h"
#include "cli/judge/verdict_text.h"
#include "cli/pair_flags.h"
#include "cli/run_output.h"
#include "core/error.h"
#include "core/moment.h"
#include "store/run/evidence.h"
#include "store/run/locate.h"
#include "store/verdict/comparison_json.h"
#include "workflow/plan/project.h"
#include "workflow/sides/paired_run.h"
#include "workflow/sides/self_check.h"
#include "workflow/sides/side.h"

namespace plumbline {
namespace {

struct AbFlags {
  std::string a, b;
  SidesOptions sides;
  RunRequest run;
  PairFlags pairs;
  VerdictFiles files;
  bool json = false;
};

/// The folder of the pairs: where it is said, else a new one where the present project keeps runs.
std::string folder_of(const AbFlags& flags, const Side& candidate) {
  if (!flags.run.output.empty()) return flags.run.output;
  const auto& suites = flags.run.suite.suites;
  const bool is_file = !suites.empty() && std::filesystem::exists(suites.front());
  const Project project = find_project(is_file ? suites.front() : ".", flags.run.places);
  return new_run_directory(project.places.runs, now_utc(), candidate.commit, "ab");
}

int ab(const AbFlags& flags, const std::vector<std::string>& command) {
  if (flags.run.suite.policy.contains("rounds"))
    throw Error("--rounds: how many pairs are measured is said by --looks");
  const PairOptions pairs = options_of(flags.pairs);  // a mistake is told before anything is built
  ConsoleTalk talk;
  const Sides sides = find_sides({{SideName{flags.a}, SideName{flags.b}},
                                  flags.run.suite.suites,
                                  flags.run.worker,
                                  flags.sides},
                                 talk);
  if (sides.signal != 0) return kExitSignal + sides.signal;
  talk.notes(sides.notes);
  const std::string folder = folder_of(flags, sides.sides[1]);
  const PairedRequest request{
      {&sides.sides[0], &sides.sides[1]}, flags.run, {}, pairs, folder, command};
  const PairedRun measured = run_in_pairs(request, talk);
  if (measured.signal != 0) return kExitSignal + measured.signal;
  Comparison comparison = comparison_of(measured, request);
  explain(comparison, measured.runs[0], measured.runs[1]);
  const std::string result = folder + "/comparison.json";
  write_comparison(comparison, result);  // controls may be cut off
  if (const int signal =
          measure_controls(request, measured, judged_cases(measured), comparison, talk)) {
    say("what the pairs say, without controls, is in " + result + "\n");
    return kExitSignal + signal;
  }
  keep_controls(comparison, folder, talk);
  write_comparison(comparison, result);
  write_verdict_files(comparison, flags.files);
  flags.json ? print_result(json_of(comparison))
             : print_text(verdict_text(comparison) + folder + "\n");
  return exit_code(comparison);
}

}  // namespace

Command ab_command() {
  return {
      "ab", "Measure two folders or revisions side by side, in pairs", [](CLI::App& app) {
        auto flags = std::make_shared<AbFlags>();
        app.add_option("A", flags->a,
                       "the baseline's side: a folder, a revision of git, or a worker")
            ->required();
        app.add_option("B", flags->b, "the candidate's side, named likewise")->required();
        add_suite_flags(app, flags->run.suite);
        add_policy_flags(app, flags->run.suite);
        add_worker_flags(app, flags->run.worker);
        add_runs_flag(app, flags->run.places);
        add_pair_flags(app, flags->pairs);
        add_side_flags(app, flags->sides);
        app.add_option("-o,--output", flags->run.output,
                       "a folder for the runs a and b and comparison.json; else "
                       "<runs>/<time>-<commit>-ab")
            ->type_name("DIR");
        add_verdict_files(app, flags->files);
        app.add_flag("--json", flags->json, "comparison.json on standard output");
        app.footer(
            "Each side has its own suites, sources, plug-ins, extensions and worker. A SUITE is "
            "read at the same\nplace of both; a revision is the present folder as it was then, "
            "checked out in the cache and built by\n`build:` of plumbline.yaml.\n"
            "Exit codes: 0 nothing regressed; 1 a case is SLOWER or BROKEN; 2 a mistake; 3 a "
            "case was not judged;\n130 interrupted.");
        return Action([flags](const auto& command) { return ab(*flags, command); });
      }};
}

}  // namespace plumbline
