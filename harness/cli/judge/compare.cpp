/// plumbline compare: compares a candidate with a baseline, case by case.
#include <fmt/format.h>

#include <memory>
#include <tuple>

#include "analysis/compare/judge.h"
#include "cli/command.h"
#include "cli/judge/verdict_files.h"
#include "cli/judge/verdict_text.h"
#include "cli/pair_flags.h"
#include "core/words.h"
#include "store/verdict/comparison_json.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "workflow/judge/compare_runs.h"

namespace plumbline {
namespace {

struct CompareFlags {
  CompareRequest request;
  std::string margin, threshold, false_discovery_rate;  // shares, as text
  std::string output;
  VerdictFiles files;
  bool json = false;
};

/// The command that writes the page about this comparison.
std::string page_command(const CompareFlags& flags) {
  const std::string file = flags.output.empty() ? "comparison.json" : flags.output;
  const std::string report = shell_command({"plumbline", "report", file});
  return flags.output.empty() ? "compare with -o " + file + ", then " + report : report;
}

int compare_and_show(const CompareFlags& flags) {
  CompareRequest request = flags.request;
  Thresholds& said = request.thresholds;
  for (const auto& [name, text, share] :
       {std::tuple{"--margin", &flags.margin, &said.margin},
        {"--threshold", &flags.threshold, &said.threshold},
        {"--false-discovery-rate", &flags.false_discovery_rate, &said.false_discovery_rate}})
    if (!text->empty()) *share = fraction_of(name, *text);
  require_one_output(flags.files, flags.json);
  ConsoleTalk talk;
  const PageMaterial compared = compare_runs(request, talk);
  if (!compared.comparison)
    return tell_no_baseline(request.baseline, request.candidate, *compared.candidate);
  const Comparison& comparison = *compared.comparison;
  if (!flags.output.empty()) write_comparison(comparison, flags.output);
  write_verdict_files(comparison, flags.files);
  if (flags.json)
    print_result(json_of(comparison));
  else if (!takes_standard_output(flags.files))
    print_text(verdict_text(comparison, page_command(flags)));
  return exit_code(comparison);
}

}  // namespace

Command compare_command() {
  return {
      "compare", "Judge a run against a baseline: which case got slower, how sure that is",
      [](CLI::App& app) {
        auto flags = std::make_shared<CompareFlags>();
        app.add_option("BASE", flags->request.baseline,
                       "a run, a baseline file, or a folder of baselines: those for the "
                       "candidate's device and suites are used")
            ->required();
        app.add_option("CAND", flags->request.candidate, "the run that is judged")->required();
        app.add_option("-o,--output", flags->output, "write comparison.json to this file")
            ->type_name("FILE");
        app.add_option(
               "--margin", flags->margin,
               fmt::format("a case is SAME if its interval is within ± this share [{:g}% on a GPU, "
                           "{:g}% on a CPU]",
                           100 * default_rule("cuda").margin, 100 * default_rule("cpu").margin))
            ->type_name("SHARE");
        app.add_option("--threshold", flags->threshold,
                       fmt::format("smallest change that is called SLOWER or FASTER [{:g}% on a "
                                   "GPU, {:g}% on a CPU]",
                                   100 * default_rule("cuda").effect_floor,
                                   100 * default_rule("cpu").effect_floor))
            ->type_name("SHARE");
        app.add_option("--false-discovery-rate", flags->false_discovery_rate,
                       "share of false alarms among alarms [1%]")
            ->type_name("SHARE");
        add_history_flag(app, flags->request.places);
        add_runs_flag(app, flags->request.places);
        app.add_flag("--trust-screen", flags->request.trusts_screen,
                     "call a case SLOWER (exit code 1) if it looks slower, without confirmation by "
                     "pairs, a later run or history");
        add_list_flag(
            app, "--pairs", flags->request.pairs,
            "a folder of `ab` in which cases in doubt were measured again in pairs, which "
            "decide them; may be repeated")
            ->type_name("DIR");
        app.add_option("--in-doubt", flags->request.doubts,
                       "write which cases are to be measured again in pairs to this file: a line "
                       "for each, with the device that measured it, a tab, and its id")
            ->type_name("FILE");
        add_verdict_files(app, flags->files);
        app.add_flag("--json", flags->json, "print comparison.json");
        app.footer(
            "Exit codes: 0 nothing regressed; 1 a case is SLOWER or BROKEN; 2 a mistake or "
            "unreadable file; 3 a case looks slower and nothing confirms it, was not judged or is "
            "missing, the run or a part of it shifted, a third of the cases could not have shown "
            "what counts, or there is no baseline.");
        return Action([flags](const auto&) { return compare_and_show(*flags); });
      }};
}

}  // namespace plumbline
