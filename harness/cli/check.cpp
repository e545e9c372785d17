/// plumbline check: the gate. Runs suites, compares with the accepted baseline, measures what is in
/// doubt again beside the baseline's build, and writes the report.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>

#include "analysis/confirm.h"
#include "analysis/partners.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/ledger_entry.h"
#include "cli/page.h"
#include "cli/paired_run.h"
#include "cli/past_runs.h"
#include "cli/ref_build.h"
#include "cli/rerun.h"
#include "cli/results.h"
#include "cli/run_plan.h"
#include "cli/run_suites.h"
#include "cli/self_check.h"
#include "cli/verdict_files.h"
#include "cli/verdict_text.h"
#include "core/error.h"
#include "store/comparison_json.h"
#include "store/evidence.h"
#include "store/run_directory.h"
#include "store/run_json.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
constexpr int kExitSignal = 128;

struct CheckFlags {
  RunFlags run;
  PairFlags pairs;
  std::string baseline, baseline_tree, baseline_ref;
  std::string history;
  VerdictFiles files;
  bool json = false, rerun = false;
};

void add_check_flags(CLI::App& app, CheckFlags& flags) {
  add_run_flags(app, flags.run);
  add_baselines_flag(app, flags.run.places);
  add_pair_flags(app, flags.pairs);
  app.add_option("--baseline", flags.baseline,
                 "a run, or a baseline file, instead of what is accepted in --baselines")
      ->type_name("PATH");
  app.add_option("--baseline-tree", flags.baseline_tree,
                 "the baseline's build: cases that look changed, and 1 % of the others, "
                 "are measured again beside it, in pairs")
      ->type_name("TREE");
  app.add_option("--baseline-ref", flags.baseline_ref,
                 "the same, of a commit: it is built in the cache by its own scripts/build, "
                 "and kept")
      ->type_name("REF")
      ->excludes("--baseline-tree");
  app.add_flag("--rerun", flags.rerun,
               "without the baseline's build: cases that look changed are measured again by this "
               "build alone, later; weaker than pairs")
      ->excludes("--baseline-tree")
      ->excludes("--baseline-ref");
  add_history_flag(app, flags.history);
  add_verdict_files(app, flags.files);
  app.add_flag("--json", flags.json, "comparison.json on standard output");
  app.footer(
      "Exit codes: 0 nothing regressed; 1 a case is SLOWER or BROKEN; 2 a mistake; 3 a "
      "case was not judged, the\nrun or a part of it shifted, or there is no baseline; 130 "
      "interrupted.");
}

/// Flags of `check` that `plumbline run` does not know, and whether a value follows.
std::map<std::string, bool> own_flags() {
  CLI::App run, check;
  RunFlags of_run;
  CheckFlags of_check;
  add_run_flags(run, of_run);
  add_check_flags(check, of_check);
  std::map<std::string, bool> own;
  for (const CLI::Option* option : check.get_options())
    for (const std::string& name : option->get_lnames())
      if (!run.get_option_no_throw("--" + name))
        own["--" + name] = option->get_items_expected_max() > 0;
  return own;
}

/// The `plumbline run` that measures the same: what run.json records, so that --resume and reports
/// find their way.
std::vector<std::string> run_command_of(const std::vector<std::string>& command) {
  const std::map<std::string, bool> own = own_flags();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    const std::string flag = word.substr(0, word.find('='));
    const auto found = own.find(flag);
    if (found == own.end()) {
      words.push_back(i == 1 ? "run" : word);
      continue;
    }
    if (word == flag && found->second) ++i;
    while (flag == "--looks" && i + 1 < command.size() &&
           command[i + 1].find_first_not_of("0123456789,") == std::string::npos)
      ++i;
  }
  return words;
}

/// Measures, or goes on with a run that was interrupted. One that has finished is not measured
/// again: what an interruption left of the rest is to judge it.
RunOutcome measured_run(const RunFlags& flags, const std::vector<std::string>& command,
                        const RunTelling& telling) {
  const std::string path = flags.output + "/run.json";
  if (!flags.resume || !fs::exists(path)) return run_suites(flags, command, telling);
  const RunInfo started = read_run_json(path).info;
  if (started.finished_at.empty()) return run_suites(flags, command, telling);
  const auto files = suite_files(flags.suite.suites);
  const Project project = find_project(files.front(), flags.places);
  const WorkerProgram worker = need_worker(flags.worker, project.worker);
  check_same_run(started, plan_run(flags, worker, project, files, command).info);
  print_note(flags.output + " is measured already; what is left is to judge it");
  return {kExitOk, flags.output, true};
}

/// Measures the cases in doubt in pairs, into `sides` too, where these came to their end. Gives the
/// signal that stopped them, or the controls behind them, or 0.
int confirm_in_pairs(const CheckFlags& flags, const std::vector<std::string>& command,
                     const std::string& directory, const Doubts& doubts, Comparison& comparison,
                     std::array<Run, 2>& sides) {
  const auto files = suite_files(flags.run.suite.suites);
  const Project project = find_project(files.front(), flags.run.places);
  const WorkerProgram worker = need_worker(flags.run.worker, project.worker);
  PairedRequest request{{find_tree(flags.baseline_tree, flags.run.worker.extensions),
                         find_tree(worker.path(), flags.run.worker.extensions)},
                        flags.run,
                        flags.pairs,
                        project,
                        files,
                        new_folder_in(directory, "pairs"),
                        command};
  // Pairs stand on one device: of several the first.
  const std::string& devices = comparison.candidate.environment.device_uuid;
  if (devices.find(',') != std::string::npos)
    request.run.worker.device = devices.substr(0, devices.find(','));
  request.run.suite.selection = {};
  for (const CaseKey& key : doubts.all()) request.run.suite.selection.cases.push_back(key.case_id);
  PairedRun measured = run_in_pairs(request);
  if (measured.signal != 0) return measured.signal;
  confirm(comparison, doubts, measured.trial, measured.runs[0]);
  note_placements(measured, comparison);
  tell_unpaired_renames(comparison, measured.options.renames);
  // What was flagged is not like the rest; what is audited is.
  const int signal = measure_controls(std::move(request), measured, doubts.audited, comparison);
  sides = std::move(measured.runs);
  return signal;
}

/// Mistakes in what is needed after minutes of measuring are told before.
void require_inputs(const CheckFlags& flags, const std::string& baselines) {
  rule_of(flags.pairs, "cuda");
  if (!flags.baseline.empty() && !fs::exists(flags.baseline))
    throw Error("--baseline " + flags.baseline + ": there is no such run or file");
  if (!flags.history.empty() && !fs::is_directory(flags.history))
    throw Error("--history " + flags.history + ": there is no such folder");
  require_readable_ledger(baselines);
  if (!flags.baseline_tree.empty()) find_tree(flags.baseline_tree, flags.run.worker.extensions);
}

int check(CheckFlags flags, const std::vector<std::string>& command) {
  const double control_share = control_share_of(flags.pairs);
  const auto files = suite_files(flags.run.suite.suites);
  const Project project = find_project(files.front(), flags.run.places);
  const std::string baselines = !flags.baseline.empty() ? flags.baseline : project.places.baselines;
  require_inputs(flags, baselines);
  if (!flags.baseline_ref.empty()) {
    const RefBuild build =
        build_of_ref(flags.baseline_ref, fs::absolute(files.front()).parent_path().string());
    if (build.signal != 0) return kExitSignal + build.signal;
    flags.baseline_tree = build.tree;
  }
  const RunOutcome run = measured_run(flags.run, run_command_of(command), {!flags.json, command});
  if (!run.is_finished) return run.exit_code;
  const std::string directory = fs::absolute(run.directory).string();
  if (flags.baseline.empty() && !fs::exists(baselines))
    return tell_no_baseline(baselines, run.directory, read_run(directory));
  const auto [candidate, baseline] = read_sides(fs::absolute(baselines).string(), directory);
  if (!baseline) return tell_no_baseline(baselines, run.directory, candidate);
  SuiteRules rules = rules_of(candidate);
  for (const std::string& note : rules.notes) print_note(note);
  const History history =
      flags.history.empty() ? History{} : past_runs(flags.history, baseline->info, candidate);
  if (!flags.history.empty()) rules.options.history = &history;
  DecisionRule rule = default_rule(candidate.info.environment.device_kind);
  rule.control_share = control_share;
  Comparison comparison = compare(*baseline, candidate, rule, rules.options);
  const Doubts doubts = cases_in_doubt(comparison, {}, std::uint64_t(candidate.info.policy.seed));
  std::array<Run, 2> sides;  // of the pairs; without rows where none were measured
  int signal = 0;
  if (!flags.baseline_tree.empty() && !doubts.all().empty()) {
    signal = confirm_in_pairs(flags, command, run.directory, doubts, comparison, sides);
    if (signal != 0 && sides[0].rows.empty()) return kExitSignal + signal;
  } else if (flags.rerun && !doubts.flagged.empty()) {
    const RerunRequest request{
        flags.run, run_command_of(command), run.directory, {!flags.json, command}};
    if (const int code =
            confirm_by_rerun(request, doubts, *baseline, candidate, rules.options, comparison))
      return code;
  } else if (!doubts.flagged.empty()) {
    comparison.notes.push_back(
        fmt::format("{} in doubt, not measured again: name the baseline's build with "
                    "--baseline-tree or --baseline-ref, or have them measured again by this build "
                    "alone with --rerun, which is weaker.",
                    counted(doubts.flagged.size(), "case")));
  }
  apply_ledger_of(baselines, comparison);
  keep_controls(comparison, run.directory);
  explain(comparison, *baseline, candidate, &sides[0], &sides[1]);
  write_comparison(comparison, run.directory + "/comparison.json");
  write_page({run.directory + "/comparison.json"}, run.directory + "/report.html", "",
             flags.history);
  write_verdict_files(comparison, flags.files);
  flags.json ? print_result(json_of(comparison))
             : print_text(verdict_text(comparison) + run.directory + "/report.html\n");
  if (signal == 0) return exit_code(comparison);
  say("the controls were cut off: what the pairs say stands without them\n");
  return kExitSignal + signal;
}

}  // namespace

Command check_command() {
  return {"check", "The gate: run suites, compare with the baseline, confirm in pairs, report",
          [](CLI::App& app) {
            auto flags = std::make_shared<CheckFlags>();
            add_check_flags(app, *flags);
            return Action([flags](const auto& command) { return check(*flags, command); });
          }};
}

}  // namespace plumbline
