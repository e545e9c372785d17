#include "cli/verdict_text.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "analysis/judge.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/results.h"
#include "core/error.h"
#include "reports/units.h"
#include "store/comparison_json.h"
#include "store/file.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostLines = 50;  // of one verdict

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

/// Cases that could not see a change of the margin; "" where all can.
std::string blind_line(const Comparison& comparison, std::size_t cases) {
  const std::vector<const Finding*> blind = blind_cases(comparison);
  if (blind.empty()) return "";
  std::size_t more = 0;
  for (const Finding* f : blind)
    more +=
        f->blind->rounds.has_value() || f->blind->blocks.has_value() || f->blind->pairs.has_value();
  return fmt::format(
      "{} {} blind ({:.0f} %): a change of {:.3g} % would be missed more than one time in 5; more "
      "rounds, blocks or pairs cure {}\n",
      counted(blind.size(), "case"), blind.size() == 1 ? "is" : "are",
      100 * double(blind.size()) / double(std::max<std::size_t>(cases, 1)),
      100 * comparison.rule.margin,
      more == blind.size() ? (more == 1 ? "it" : "all of them") : fmt::format("{} of them", more));
}

std::string self_check_line(const Comparison& comparison) {
  const std::string text = comparison.self_check ? self_check_text(*comparison.self_check) : "";
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string verdict_text(const Comparison& comparison) {
  const std::vector<const Finding*> cases = worst_per_case(comparison);
  std::string text = attention_table(cases);
  for (const EnvironmentChange& change : comparison.environment_changes)
    text += fmt::format("{}: {} -> {}\n", change.label, change.baseline, change.candidate);
  for (const std::string& note : comparison.notes) text += note + "\n";
  return text + counts_line(cases) + "\n" + sentence(comparison) + "\n" + unresolved_line(cases) +
         blind_line(comparison, cases.size()) + self_check_line(comparison);
}

int tell_no_baseline(const std::string& folder, const std::string& run, const Run& candidate) {
  std::string suites;
  for (const std::string& suite : suites_of(candidate))
    suites += (suites.empty() ? "" : ", ") + suite;
  fmt::print(stderr, "{} {} holds no accepted baseline of {} for {}; accept this run with:\n  {}\n",
             coloured("not judged:", Colour::yellow, 2), folder, suites,
             candidate.info.environment.device_class,
             shell_command({"plumbline", "accept", run, "--baselines", folder}));
  return kExitNotJudged;
}

std::string json_of(const Comparison& comparison) {
  char folder[] = "/tmp/plumbline-XXXXXX";
  if (!mkdtemp(folder)) throw Error("cannot make a folder in /tmp");
  const std::string path = std::string(folder) + "/comparison.json";
  write_comparison(comparison, path);
  std::string text = read_text(path);
  std::filesystem::remove_all(folder);
  return text;
}

}  // namespace plumbline
