/// plumbline compare: a candidate against a baseline, case by case.
#include "analysis/compare/compare.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "analysis/compare/judge.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "cli/judge/ledger_entry.h"
#include "cli/judge/verdict_files.h"
#include "cli/judge/verdict_text.h"
#include "cli/pair_flags.h"
#include "cli/run_output.h"
#include "core/error.h"
#include "store/run/evidence.h"
#include "store/run/locate.h"
#include "store/verdict/comparison_json.h"
#include "workflow/results/input_runs.h"
#include "workflow/results/past_runs.h"
#include "workflow/sides/self_check.h"

namespace plumbline {
namespace {

struct CompareFlags {
  std::string baseline, candidate, output;
  std::string margin, false_discovery_rate;
  std::string history;
  VerdictFiles files;
  bool json = false;
};

int compare_runs(const CompareFlags& flags) {
  if (is_baselines_folder(flags.candidate))
    throw Error("the candidate '" + flags.candidate + "' is no run: it has no run.json");
  // Whole paths, so that a report finds them from another folder.
  const auto [candidate, baseline] =
      read_input_runs(std::filesystem::absolute(flags.baseline).string(),
                      std::filesystem::absolute(flags.candidate).string());
  for (const std::string& warning : candidate.warnings) print_note(warning);
  if (!baseline) return tell_no_baseline(flags.baseline, flags.candidate, candidate);
  for (const std::string& warning : baseline->warnings) print_note(warning);
  if (const auto path = std::filesystem::weakly_canonical(candidate.path);
      path == std::filesystem::weakly_canonical(baseline->path))
    print_note("both are the same run, " + path.string() + ": no case can differ");
  for (const Run* run : {&candidate, &*baseline})
    if (run->info.finished_at.empty())
      print_note(run->path + " is not finished: what it lacks counts as missing");
  DecisionRule rule = default_rule(candidate.info.environment.device_kind);
  if (!flags.margin.empty()) rule.margin = fraction_of("--margin", flags.margin);
  if (!flags.false_discovery_rate.empty())
    rule.false_discovery_rate = fraction_of("--false-discovery-rate", flags.false_discovery_rate);
  ConsoleTalk talk;
  SuiteRules rules = rules_of(candidate);
  for (const std::string& note : rules.notes) print_note(note);
  const History history =
      flags.history.empty() ? History{} : past_runs(flags.history, baseline->info, candidate, talk);
  if (!flags.history.empty()) rules.options.history = &history;
  Comparison comparison = compare(*baseline, candidate, rule, rules.options);
  apply_ledger_of(flags.baseline, comparison);
  add_earlier_controls(comparison, flags.history, candidate.path, talk);
  explain(comparison, *baseline, candidate);
  if (!flags.output.empty()) write_comparison(comparison, flags.output);
  write_verdict_files(comparison, flags.files);
  flags.json ? print_result(json_of(comparison)) : print_text(verdict_text(comparison));
  return exit_code(comparison);
}

}  // namespace

Command compare_command() {
  return {"compare", "Judge a run against a baseline: which case got slower, how sure that is",
          [](CLI::App& app) {
            auto flags = std::make_shared<CompareFlags>();
            app.add_option("BASE", flags->baseline,
                           "a run, a baseline file, or a folder of baselines, of which those for "
                           "the candidate's device and suites are taken")
                ->required();
            app.add_option("CAND", flags->candidate, "the run that is judged")->required();
            app.add_option("-o,--output", flags->output, "write comparison.json to this file")
                ->type_name("FILE");
            app.add_option(
                   "--margin", flags->margin,
                   fmt::format("SAME is an interval inside of ± this share [{:g}% on a "
                               "GPU, {:g}% on a CPU]",
                               100 * default_rule("cuda").margin, 100 * default_rule("cpu").margin))
                ->type_name("SHARE");
            app.add_option("--false-discovery-rate", flags->false_discovery_rate,
                           "share of false alarms among alarms [1%]")
                ->type_name("SHARE");
            add_history_flag(app, flags->history);
            add_verdict_files(app, flags->files);
            app.add_flag("--json", flags->json, "comparison.json on standard output");
            app.footer(
                "Exit codes: 0 nothing regressed; 1 a case is SLOWER or BROKEN; 2 a mistake or "
                "unreadable file;\n3 a case was not judged or is missing, the run or a part of it "
                "shifted, or there is no baseline.");
            return Action([flags](const auto&) { return compare_runs(*flags); });
          }};
}

}  // namespace plumbline
