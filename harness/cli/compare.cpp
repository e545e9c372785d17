/// plumbline compare: a candidate against a baseline, case by case.
#include "analysis/compare.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "analysis/judge.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "cli/results.h"
#include "core/error.h"
#include "reports/units.h"
#include "store/comparison_json.h"
#include "store/file.h"
#include "store/locate.h"
#include "store/run_directory.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostLines = 50;  // of one verdict

struct CompareFlags {
  std::string baseline, candidate, output;
  std::string margin, false_discovery_rate;
  bool json = false;
};

Colour colour_of(Verdict verdict) {
  using enum Verdict;
  if (verdict == slower || verdict == broken) return Colour::red;
  if (verdict == faster || verdict == fixed) return Colour::green;
  return verdict == same ? Colour::none : Colour::yellow;
}

/// What needs attention: everything but SAME and UNRESOLVED, alarms first.
std::string attention_table(const std::vector<const Finding*>& cases) {
  using enum Verdict;
  Table table({"verdict", "case", "metric", "before", "now", "change", "why"},
              {false, false, false, true, true, true, false});
  for (const Verdict verdict : {broken, slower, missing, faster, fixed, added, not_judged}) {
    std::size_t shown = 0, all = 0;
    for (const Finding* f : cases) {
      if (f->verdict != verdict || ++all > kMostLines) continue;
      ++shown;
      const QuantityPair times = quantity_pair(f->baseline, f->candidate, f->unit, std::nullopt);
      table.add({{std::string(name_of(verdict)), colour_of(verdict)},
                 {f->case_id},
                 {f->metric},
                 {f->baseline ? times.before + " " + times.unit : ""},
                 {f->candidate ? times.after + " " + times.unit : ""},
                 {f->change ? change_text(f->change, f->change_low, f->change_high).whole() : ""},
                 {f->reason}});
    }
    if (all > shown)
      table.add({{std::string(name_of(verdict)), colour_of(verdict)},
                 {fmt::format("and {} more", all - shown)},
                 {},
                 {},
                 {},
                 {},
                 {}});
  }
  return table.empty() ? "" : table.text() + "\n";
}

std::string counts_line(const std::vector<const Finding*>& cases) {
  std::string text;
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i)
    if (const auto n = std::ranges::count(cases, static_cast<Verdict>(i), &Finding::verdict))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, kVerdictNames[i]);
  return text.empty() ? "no cases" : text;
}

/// How large a slowdown could hide behind UNRESOLVED; "" where nothing is.
std::string unresolved_line(const std::vector<const Finding*>& cases) {
  std::vector<double> detectable;
  for (const Finding* f : cases)
    if (f->verdict == Verdict::unresolved && f->detectable) detectable.push_back(*f->detectable);
  if (detectable.empty()) return "";
  const std::size_t half = (detectable.size() - 1) / 2;
  std::ranges::nth_element(detectable, detectable.begin() + static_cast<std::ptrdiff_t>(half));
  return fmt::format("{} could not be resolved: the smallest slowdown that would show is {}{}\n",
                     detectable.size(), percent_text(detectable[half], false),
                     detectable.size() == 1 ? "" : " or less in half of them");
}

/// comparison.json as text: its writer knows files.
std::string json_of(const Comparison& comparison) {
  char folder[] = "/tmp/plumbline-XXXXXX";
  if (!mkdtemp(folder)) throw Error("cannot make a folder in /tmp");
  const std::string path = std::string(folder) + "/comparison.json";
  write_comparison(comparison, path);
  std::string text = read_text(path);
  std::filesystem::remove_all(folder);
  return text;
}

int tell_no_baseline(const CompareFlags& flags, const Run& candidate) {
  std::string suites;
  for (const std::string& suite : suites_of(candidate))
    suites += (suites.empty() ? "" : ", ") + suite;
  fmt::print(
      stderr, "{} {} holds no accepted baseline of {} for {}; accept this run with:\n  {}\n",
      coloured("not judged:", Colour::yellow, 2), flags.baseline, suites,
      candidate.info.environment.device_class,
      shell_command({"plumbline", "accept", flags.candidate, "--baselines", flags.baseline}));
  return kExitNotJudged;
}

int compare_runs(const CompareFlags& flags) {
  if (is_baselines_folder(flags.candidate))
    throw Error("the candidate '" + flags.candidate + "' is no run: it has no run.json");
  // Whole paths, so that a report finds them from another folder.
  const auto [candidate, baseline] =
      read_sides(std::filesystem::absolute(flags.baseline).string(),
                 std::filesystem::absolute(flags.candidate).string());
  for (const std::string& warning : candidate.warnings) print_note(warning);
  if (!baseline) return tell_no_baseline(flags, candidate);
  for (const std::string& warning : baseline->warnings) print_note(warning);
  for (const Run* run : {&candidate, &*baseline})
    if (run->info.finished_at.empty())
      print_note(run->path + " is not finished: what it lacks counts as missing");
  DecisionRule rule = default_rule(candidate.info.environment.device_kind);
  if (!flags.margin.empty()) rule.margin = fraction_of("--margin", flags.margin);
  if (!flags.false_discovery_rate.empty())
    rule.false_discovery_rate = fraction_of("--false-discovery-rate", flags.false_discovery_rate);
  const SuiteRules rules = rules_of(candidate);
  for (const std::string& note : rules.notes) print_note(note);
  const Comparison comparison = compare(*baseline, candidate, rule, rules.options);
  if (!flags.output.empty()) write_comparison(comparison, flags.output);
  if (flags.json) {
    print_result(json_of(comparison));
    return exit_code(comparison);
  }
  const std::vector<const Finding*> cases = worst_per_case(comparison);
  std::string text = attention_table(cases);
  for (const EnvironmentChange& change : comparison.environment_changes)
    text += fmt::format("{}: {} -> {}\n", change.label, change.baseline, change.candidate);
  for (const std::string& note : comparison.notes) text += note + "\n";
  text += counts_line(cases) + "\n" + sentence(comparison) + "\n" + unresolved_line(cases);
  print_result(text);
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
            app.add_flag("--json", flags->json, "comparison.json on standard output");
            app.footer(
                "Exit codes: 0 nothing regressed; 1 a case is SLOWER or BROKEN; 2 a mistake or "
                "unreadable file;\n3 a case was not judged or is missing, the whole run shifted, "
                "or there is no baseline.");
            return Action([flags](const auto&) { return compare_runs(*flags); });
          }};
}

}  // namespace plumbline
