/// plumbline ab: two sides measured beside each other, in pairs.
#include <filesystem>
#include <memory>

#include "analysis/side_code.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/paired_run.h"
#include "cli/project.h"
#include "cli/self_check.h"
#include "cli/side.h"
#include "cli/verdict_files.h"
#include "cli/verdict_text.h"
#include "core/error.h"
#include "store/comparison_json.h"
#include "store/evidence.h"
#include "store/locate.h"

namespace plumbline {
namespace {

constexpr int kExitSignal = 128;

struct AbFlags {
  std::string a, b;
  SidesFlags sides;
  RunFlags run;
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
  const double control_share = control_share_of(flags.pairs);
  rule_of(flags.pairs, "cuda");  // a mistake is told before anything is built
  const Sides sides = find_sides({{SideName{flags.a}, SideName{flags.b}},
                                  flags.run.suite.suites,
                                  flags.run.worker,
                                  flags.sides});
  if (sides.signal != 0) return kExitSignal + sides.signal;
  for (const std::string& note : sides.notes) print_note(note);
  const std::string folder = folder_of(flags, sides.sides[1]);
  const PairedRequest request{
      {&sides.sides[0], &sides.sides[1]}, flags.run, {}, flags.pairs, folder, command};
  const PairedRun measured = run_in_pairs(request);
  if (measured.signal != 0) return kExitSignal + measured.signal;
  Comparison comparison =
      measured.trial.comparison(measured.runs[0], measured.runs[1], measured.options);
  comparison.rule.control_share = control_share;
  tell_unpaired(measured, sides.sides[0].name, comparison);
  note_placements(measured, comparison);
  refuse(compare_code(paired_sides(measured, request.sides)), comparison);
  explain(comparison, measured.runs[0], measured.runs[1]);
  const std::string result = folder + "/comparison.json";
  write_comparison(comparison, result);  // controls may be cut off
  std::set<CaseKey> all;
  for (const auto& [key, has_changed] : measured.trial.outcomes()) all.insert(key);
  if (const int signal = measure_controls(request, measured, all, comparison)) {
    say("what the pairs say, without controls, is in " + result + "\n");
    return kExitSignal + signal;
  }
  keep_controls(comparison, folder);
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
