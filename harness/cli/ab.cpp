/// plumbline ab: two builds measured side by side, in pairs.
#include <memory>

#include "analysis/partners.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/paired_run.h"
#include "cli/self_check.h"
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
  std::string tree_a, tree_b;
  RunFlags run;
  PairFlags pairs;
  VerdictFiles files;
  bool json = false;
};

int ab(const AbFlags& flags, const std::vector<std::string>& command) {
  if (flags.run.suite.policy.contains("rounds"))
    throw Error("--rounds: how many pairs are measured is said by --looks");
  const auto files = suite_files(flags.run.suite.suites);
  const Project project = find_project(files.front(), flags.run.places);
  const auto& extensions = flags.run.worker.extensions;
  const std::array trees{find_tree(flags.tree_a, extensions), find_tree(flags.tree_b, extensions)};
  const std::string folder =
      !flags.run.output.empty()
          ? flags.run.output
          : new_run_directory(project.places.runs, now_utc(), trees[1].commit, "ab");
  const double control_share = control_share_of(flags.pairs);
  const PairedRequest request{trees, flags.run, flags.pairs, project, files, folder, command};
  const PairedRun measured = run_in_pairs(request);
  if (measured.signal != 0) return kExitSignal + measured.signal;
  Comparison comparison =
      measured.trial.comparison(measured.runs[0], measured.runs[1], measured.options);
  tell_unpaired_renames(comparison, measured.options.renames);
  comparison.rule.control_share = control_share;
  note_placements(measured, comparison);
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
  return {"ab", "Measure two builds side by side, in pairs: what one does to the other's times",
          [](CLI::App& app) {
            auto flags = std::make_shared<AbFlags>();
            app.add_option("TREE_A", flags->tree_a,
                           "a checkout with a build, an installed folder, or a worker: the "
                           "baseline")
                ->required();
            app.add_option("TREE_B", flags->tree_b, "the same: the candidate")->required();
            add_suite_flags(app, flags->run.suite);
            add_policy_flags(app, flags->run.suite);
            add_worker_flags(app, flags->run.worker);
            add_runs_flag(app, flags->run.places);
            add_pair_flags(app, flags->pairs);
            app.add_option("-o,--output", flags->run.output,
                           "a folder for the runs a and b and comparison.json; else "
                           "<runs>/<time>-<commit>-ab")
                ->type_name("DIR");
            add_verdict_files(app, flags->files);
            app.add_flag("--json", flags->json, "comparison.json on standard output");
            app.footer(
                "Exit codes: 0 nothing regressed; 1 a case is SLOWER or BROKEN; 2 a mistake; 3 a "
                "case was not judged;\n130 interrupted.");
            return Action([flags](const auto& command) { return ab(*flags, command); });
          }};
}

}  // namespace plumbline
