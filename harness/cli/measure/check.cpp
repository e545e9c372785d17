/// plumbline check: the gate. Runs suites, compares with the accepted baseline, measures what is in
/// doubt again beside the baseline's side, and writes the report.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "analysis/compare/side_code.h"
#include "analysis/confirm/confirm.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "cli/judge/ledger_entry.h"
#include "cli/judge/verdict_files.h"
#include "cli/judge/verdict_text.h"
#include "cli/pair_flags.h"
#include "cli/run_output.h"
#include "core/error.h"
#include "core/words.h"
#include "store/run/evidence.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"
#include "workflow/plan/run_plan.h"
#include "workflow/results/input_runs.h"
#include "workflow/results/page.h"
#include "workflow/results/past_runs.h"
#include "workflow/run/rerun.h"
#include "workflow/run/run_suites.h"
#include "workflow/sides/accepted_side.h"
#include "workflow/sides/paired_run.h"
#include "workflow/sides/self_check.h"
#include "workflow/sides/side.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

struct CheckFlags {
  RunRequest run;
  PairFlags pairs;
  SidesOptions sides;
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
                 "the baseline's side, a folder with its own suites, sources and build: cases that "
                 "look changed, and 1 % of the others, are measured again beside it, in pairs; all "
                 "cases where no baseline is accepted")
      ->type_name("FOLDER");
  app.add_option("--baseline-ref", flags.baseline_ref,
                 "the same, of a revision of git: it is checked out and built in the cache, and "
                 "kept")
      ->type_name("REVISION")
      ->excludes("--baseline-tree");
  app.add_flag("--rerun", flags.rerun,
               "without the baseline's side: cases that look changed are measured again by this "
               "side alone, later; weaker than pairs")
      ->excludes("--baseline-tree")
      ->excludes("--baseline-ref");
  add_side_flags(app, flags.sides);
  add_history_flag(app, flags.history);
  add_verdict_files(app, flags.files);
  app.add_flag("--json", flags.json, "comparison.json on standard output");
  app.footer(
      "Exit codes: 0 nothing regressed; 1 a case is SLOWER or BROKEN; 2 a mistake; 3 a "
      "case was not judged, the\nrun or a part of it shifted, or there is no baseline; 130 "
      "interrupted.");
}

/// Measures, or goes on with a run that was interrupted. One that has finished is not measured
/// again: what an interruption left of the rest is to judge it.
RunOutcome measured_run(const RunRequest& flags, const std::vector<std::string>& command,
                        const RunTelling& telling) {
  ConsoleTalk talk;
  const std::string path = flags.output + "/run.json";
  if (!flags.resume || !fs::exists(path)) return run_and_tell(flags, command, telling);
  const RunInfo started = read_run_json(path).info;
  if (started.finished_at.empty()) return run_and_tell(flags, command, telling);
  const auto files = suite_files(flags.suite.suites);
  const Project project = find_project(files.front(), flags.places);
  const WorkerProgram worker = need_worker(flags.worker, project.worker);
  check_same_run(started, plan_run(flags, worker, project, files, command, talk).info);
  print_note(flags.output + " is measured already; what is left is to judge it");
  RunOutcome outcome;
  outcome.directory = flags.output;
  outcome.run = read_run(flags.output);
  return outcome;
}

/// Pairs of the sides, in a new folder in the run's directory. `cases`: by the candidate's names.
PairedRequest request_of(const CheckFlags& flags, const Sides& sides, const std::string& directory,
                         const std::vector<std::string>& command, const std::string& devices) {
  PairedRequest request{{&sides.sides[0], &sides.sides[1]}, flags.run, {}, options_of(flags.pairs),
                        new_folder_in(directory, "pairs"),  command};
  // Pairs stand on one device: of several the first.
  if (devices.find(',') != std::string::npos)
    request.run.worker.device = devices.substr(0, devices.find(','));
  return request;
}

/// What is judged: the accepted result, the candidate's run, and what suites say of single cases.
struct Judged {
  const Run& baseline;
  const Run& candidate;
  const CompareOptions& options;
};

/// Measures the cases in doubt in pairs, into `runs` too, where these came to their end. Gives the
/// signal that stopped them, or the controls behind them, or 0.
int confirm_in_pairs(PairedRequest request, const Sides& sides, const Judged& judged,
                     const Doubts& doubts, Comparison& comparison, std::array<Run, 2>& runs,
                     Talk& talk) {
  request.cases = doubts.all();
  PairedRun measured = run_in_pairs(request, talk);
  if (measured.signal != 0) return measured.signal;
  const SideCode code = compare_code(judged.baseline, judged.candidate,
                                     paired_sides(measured, request.sides), judged.options);
  confirm(comparison, doubts, measured.trial, measured.runs[0], code);
  refuse(code, comparison);
  note_placements(measured, comparison);
  tell_unpaired(measured, sides.sides[0].name, comparison);
  // What was flagged is not like the rest; what is audited is.
  const int signal =
      measure_controls(std::move(request), measured, doubts.audited, comparison, talk);
  runs = std::move(measured.runs);
  return signal;
}

/// Without an accepted result the pairs judge every case that the run measured. As above.
int judge_in_pairs(const PairedRequest& request, const Sides& sides, Comparison& comparison,
                   std::array<Run, 2>& runs, Talk& talk) {
  PairedRun measured = run_in_pairs(request, talk);
  if (measured.signal != 0) return measured.signal;
  comparison = comparison_of(measured, request);
  comparison.notes.insert(comparison.notes.begin(),
                          "No baseline is accepted: every case was measured in pairs with " +
                              sides.sides[0].name + ".");
  const int signal = measure_controls(request, measured, judged_cases(measured), comparison, talk);
  runs = std::move(measured.runs);
  return signal;
}

/// The sides, where the baseline's is named; b is what the run measures, too.
std::optional<Sides> named_sides(CheckFlags& flags, Talk& talk) {
  if (flags.baseline_tree.empty() && flags.baseline_ref.empty()) return std::nullopt;
  const SideName a = flags.baseline_ref.empty() ? SideName{flags.baseline_tree, SideKind::folder}
                                                : SideName{flags.baseline_ref, SideKind::revision};
  Sides sides =
      find_sides({{a, SideName{}}, flags.run.suite.suites, flags.run.worker, flags.sides}, talk);
  talk.notes(sides.notes);
  return sides;
}

/// Mistakes in what is needed after minutes of measuring are told before.
void require_inputs(const CheckFlags& flags, const std::string& baselines) {
  options_of(flags.pairs);
  if (!flags.baseline.empty() && !fs::exists(flags.baseline))
    throw Error("--baseline " + flags.baseline + ": there is no such run or file");
  if (!flags.history.empty() && !fs::is_directory(flags.history))
    throw Error("--history " + flags.history + ": there is no such folder");
  require_readable_ledger(baselines);
  for (std::size_t i = 0; i < 2; ++i)
    variables_of(i == 0 ? "--a-env" : "--b-env", flags.sides.sides[i].variables);
  const bool has_side = !flags.baseline_tree.empty() || !flags.baseline_ref.empty();
  const SideOptions& a = flags.sides.sides[0];
  if (!has_side && !(a.variables.empty() && a.worker.empty()))
    throw Error(
        "--a-env, --a-worker: they are about the baseline's side; name it with "
        "--baseline-ref or --baseline-tree");
}

/// Builds what is measured. Gives the signal that stopped it, or 0.
int prepare_sides(CheckFlags& flags, const std::string& suite, std::optional<Sides>& sides,
                  Talk& talk) {
  sides = named_sides(flags, talk);
  if (sides) {
    if (sides->signal != 0) return sides->signal;
    flags.run.worker.worker = sides->sides[1].worker.path();
    flags.run.worker.variables = sides->sides[1].worker.variables();
    return 0;
  }
  if (!flags.sides.sides[1].worker.empty()) flags.run.worker.worker = flags.sides.sides[1].worker;
  flags.run.worker.variables = variables_of("--b-env", flags.sides.sides[1].variables);
  return flags.sides.skips_build
             ? 0
             : build_project_of(fs::absolute(suite).parent_path().lexically_normal().string(),
                                talk);
}

/// Writes and tells the verdict; its exit code, or the signal's where controls were cut off.
int finish(const CheckFlags& flags, const std::string& baselines, const std::string& directory,
           Comparison comparison, Run baseline, Run candidate, const std::array<Run, 2>& paired,
           int signal, Talk& talk) {
  if (fs::exists(baselines)) apply_ledger_of(baselines, comparison);
  keep_controls(comparison, directory, talk);
  explain(comparison, baseline, candidate, &paired[0], &paired[1]);
  write_comparison(comparison, directory + "/comparison.json");
  write_verdict_files(comparison, flags.files);
  const PageMaterial material{std::move(candidate), std::move(baseline), std::move(comparison)};
  write_page(material, directory + "/report.html", "", flags.history, talk);
  flags.json ? print_result(json_of(*material.comparison))
             : print_text(verdict_text(*material.comparison) + directory + "/report.html\n");
  if (signal == 0) return exit_code(*material.comparison);
  say("the controls were cut off: what the pairs say stands without them\n");
  return kExitSignal + signal;
}

int check(CheckFlags flags, const std::vector<std::string>& command) {
  ConsoleTalk talk;
  const auto files = suite_files(flags.run.suite.suites);
  const Project project = find_project(files.front(), flags.run.places);
  const std::string baselines = !flags.baseline.empty() ? flags.baseline : project.places.baselines;
  require_inputs(flags, baselines);
  std::optional<Sides> sides;
  if (const int signal = prepare_sides(flags, files.front(), sides, talk))
    return kExitSignal + signal;
  const RunOutcome run = measured_run(flags.run, command, {!flags.json, /*is_judged=*/true});
  if (run.signal != 0) return kExitSignal + run.signal;
  const Run& candidate = run.run;
  const bool has_baselines = !flags.baseline.empty() || fs::exists(baselines);
  if (!has_baselines && !sides) return tell_no_baseline(baselines, run.directory, candidate);
  const std::optional<Run> baseline =
      has_baselines ? baseline_of(fs::absolute(baselines).string(), candidate) : std::nullopt;
  const std::string devices = candidate.info.environment.device_uuid();
  if (baseline) talk.notes(baseline->warnings);
  if (!baseline && !sides) return tell_no_baseline(baselines, run.directory, candidate);
  std::array<Run, 2> paired;  // without rows where none were measured
  if (!baseline) {
    Comparison comparison;
    const int signal = judge_in_pairs(request_of(flags, *sides, run.directory, command, devices),
                                      *sides, comparison, paired, talk);
    if (signal != 0 && paired[0].rows.empty()) return kExitSignal + signal;
    return finish(flags, baselines, run.directory, comparison, paired[0], paired[1], paired, signal,
                  talk);
  }
  SuiteRules rules = rules_of(candidate);
  for (const std::string& note : rules.notes) print_note(note);
  const History history =
      flags.history.empty() ? History{} : past_runs(flags.history, baseline->info, candidate, talk);
  if (!flags.history.empty()) rules.options.history = &history;
  DecisionRule rule = default_rule(candidate.info.environment.device_kind);
  rule.control_share = options_of(flags.pairs).control_share;
  Comparison comparison = compare(*baseline, candidate, rule, rules.options);
  Doubts doubts = cases_in_doubt(comparison, {}, std::uint64_t(candidate.info.policy.seed));
  if (sides) doubts.unaccepted = cases_of_other_code(comparison, *baseline, sides->sides[0]);
  int signal = 0;
  if (sides && !doubts.all().empty()) {
    signal =
        confirm_in_pairs(request_of(flags, *sides, run.directory, command, devices), *sides,
                         {*baseline, candidate, rules.options}, doubts, comparison, paired, talk);
    if (signal != 0 && paired[0].rows.empty()) return kExitSignal + signal;
  } else if (flags.rerun && !doubts.flagged.empty()) {
    const RerunRequest request{flags.run, command, run.directory};
    const RunOutcome again =
        confirm_by_rerun(request, doubts, *baseline, candidate, rules.options, comparison, talk);
    if (again.signal != 0) return kExitSignal + again.signal;
  } else if (!doubts.flagged.empty()) {
    comparison.notes.push_back(
        fmt::format("{} in doubt, not measured again: name the baseline's side with "
                    "--baseline-tree or --baseline-ref, or have them measured again by this side "
                    "alone with --rerun, which is weaker.",
                    counted(doubts.flagged.size(), "case")));
  }
  return finish(flags, baselines, run.directory, comparison, *baseline, candidate, paired, signal,
                talk);
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
