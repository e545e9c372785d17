#include "cli/judge/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/causes/family_changes.h"
#include "analysis/causes/step_times.h"
#include "analysis/compare/judge.h"
#include "cli/command.h"
#include "core/visible.h"
#include "core/words.h"
#include "reports/answer.h"
#include "reports/cause_text.h"
#include "reports/exports/findings_text.h"
#include "reports/family_text.h"
#include "reports/step_text.h"
#include "reports/units.h"
#include "store/file.h"
#include "store/verdict/comparison_json.h"
#include "terminal/console.h"
#include "terminal/table.h"
#include "workflow/judge/accept.h"
#include "workflow/results/input_runs.h"
#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostLines = 50;  // of one verdict
constexpr std::size_t kMostUnconfirmed = 10;
constexpr std::size_t kMostOfACause = 5;  // cases per cause: the block below counts them all
constexpr std::size_t kMostCauses = 5;
constexpr std::size_t kMostFamilies = 25;

Colour colour_of(Verdict verdict) {
  using enum Verdict;
  if (verdict == slower || verdict == broken) return Colour::red;
  if (verdict == faster || verdict == fixed) return Colour::green;
  return verdict == same ? Colour::none : Colour::yellow;
}

/// The first cases of each cause, and all cases without a cause.
std::vector<const Finding*> told_cases(const std::vector<const Finding*>& cases) {
  std::map<std::size_t, std::size_t> times;
  std::vector<const Finding*> told;
  for (const Finding* finding : cases)
    if (finding->cause == 0 || ++times[finding->cause] <= kMostOfACause) told.push_back(finding);
  return told;
}

std::vector<Table::Cell> row_of(Table::Cell verdict, const Finding& f) {
  const QuantityPair times = times_of(f);
  return {std::move(verdict),
          {f.case_id},
          {f.metric},
          {f.baseline ? times.before + " " + times.unit : ""},
          {f.candidate ? times.after + " " + times.unit : ""},
          {f.change ? changes_of(f) : ""},
          {why_of(f)}};
}

/// The table of what needs attention: everything except SAME and UNRESOLVED. Alarms come first,
/// then unconfirmed changes with the strongest evidence first, and cases that the ledger excuses
/// last.
std::string attention_table(const Comparison& comparison,
                            const std::vector<const Finding*>& cases) {
  using enum Verdict;
  Table table({{"verdict"},
               {"case", Fit::id},
               {"metric", Fit::id},
               {"before", Fit::number},
               {"now", Fit::number},
               {"change", Fit::number},
               {"why", Fit::text}});
  const std::vector<const Finding*> told = told_cases(cases);
  const auto add = [&](const std::string& title, Colour colour, const auto& is_meant) {
    const auto all = std::size_t(std::ranges::count_if(cases, is_meant));
    std::size_t shown = 0;
    for (const Finding* f : told)
      if (is_meant(f) && shown < kMostLines) {
        ++shown;
        table.add(row_of({verdict_words(comparison, *f), colour}, *f));
      }
    if (all > shown) table.add({{fmt::format("and {} more {}", all - shown, title), colour}});
  };
  for (const Verdict verdict : {broken, slower, looks_slower, missing, faster, looks_faster, fixed,
                                added, not_judged, expected})
    add(std::string(name_of(verdict)), colour_of(verdict),
        [&](const Finding* f) { return f->verdict == verdict && f->entry == 0; });
  std::vector<const Finding*> unconfirmed = unconfirmed_cases(comparison);
  const std::size_t shown = std::min(unconfirmed.size(), kMostUnconfirmed);
  for (std::size_t i = 0; i < shown; ++i)
    table.add(row_of({unconfirmed_words(*unconfirmed[i]), Colour::yellow}, *unconfirmed[i]));
  if (unconfirmed.size() > shown)
    table.add(
        {{fmt::format("and {} more unconfirmed", unconfirmed.size() - shown), Colour::yellow}});
  add("excused", Colour::none, [](const Finding* f) { return f->entry > 0; });
  return table.empty() ? "" : table.text() + "\n";
}

/// One metric of the worst case, before and after.
std::string worst_line(const Comparison& comparison, const Cause& cause) {
  const auto worst = std::ranges::find_if(comparison.findings, [&](const Finding& f) {
    return f.suite == cause.worst_suite && f.case_id == cause.worst_case &&
           f.metric == cause.worst_metric;
  });
  if (worst == comparison.findings.end() || cause.cases == 1) return "";
  const std::string numbers = numbers_of(*worst);
  return "  worst: " + cause.worst_case + (numbers.empty() ? "" : ", " + numbers) + "\n";
}

std::string cause_block(const Comparison& comparison, std::size_t i) {
  const Cause& cause = comparison.causes[i];
  std::string text = fmt::format("cause {}: {} {}\n", i + 1,
                                 coloured(name_of(cause.verdict), colour_of(cause.verdict), 1),
                                 cause_headline(cause));
  for (const MetricChange& change : cause.changes)
    text += "  " + change.metric + " " + range_text(change) +
            (change.cases == cause.cases ? "" : fmt::format(" ({} cases)", change.cases)) + "\n";
  if (const std::string cost = cost_text(cause); !cost.empty()) text += "  " + cost + "\n";
  text += worst_line(comparison, cause);
  for (const FactLine& line : fact_lines(cause, &comparison))
    text += "  " + (line.label.empty() ? "" : line.label + ": ") + line.text + "\n";
  return text;
}

/// A block for each of the first causes; new cases are only in the table.
std::string cause_blocks(const Comparison& comparison, const std::string& page) {
  std::string text;
  std::size_t shown = 0, all = 0;
  for (std::size_t i = 0; i < comparison.causes.size(); ++i) {
    if (comparison.causes[i].verdict == Verdict::added || ++all > kMostCauses) continue;
    text += cause_block(comparison, i);
    ++shown;
  }
  if (all > shown)
    text += fmt::format("and {}; the page has all:\n", counted(all - shown, "more cause"));
  text = fitted(text);
  if (all > shown) text += "  " + page + "\n";
  return text.empty() ? "" : text + "\n";
}

/// The size of a slowdown that UNRESOLVED cases could hide; "" if there are none.
std::string unresolved_line(const std::vector<const Finding*>& cases) {
  std::vector<double> hidden;
  for (const Finding* f : cases)
    if (f->verdict == Verdict::unresolved && f->entry == 0 && f->detectable)
      hidden.push_back(hidden_slowdown(*f));
  if (hidden.empty()) return "";
  const std::size_t half = (hidden.size() - 1) / 2;
  std::ranges::nth_element(hidden, hidden.begin() + static_cast<std::ptrdiff_t>(half));
  return fmt::format("{} could not be resolved; {} could hide a slowdown of up to {}.\n",
                     counted(hidden.size(), "case"), hidden.size() == 1 ? "it" : "half of them",
                     percent_text(hidden[half], false));
}

/// The comparison's own remarks, and those about tails and modes, one per line.
std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Colour colour_of(AnswerKind kind) {
  if (kind == AnswerKind::broken || kind == AnswerKind::slower) return Colour::red;
  return kind == AnswerKind::clean ? Colour::green : Colour::yellow;
}

/// The answer; if there is none, what to do.
std::string answer_lines(const Comparison& comparison) {
  const Answer answer = answer_of(comparison);
  std::string text = coloured(std::string(word_of(answer.kind)) + ":", colour_of(answer.kind), 1) +
                     " " + visible(answer.headline) + "\n";
  if (!answer.advice.empty()) text += visible(answer.advice) + "\n";
  text = fitted(text);
  if (!answer.command.empty()) text += "  " + answer.command + "\n";
  return text;
}

/// A line for each step of a captured program, its phases indented.
std::string step_lines(const Comparison& comparison) {
  std::string text;
  for (const StepTime& step : step_times(comparison))
    text += (step.phase.empty() ? "" : "  ") + step_sentence(step) +
            (step.phase.empty() ? "; " + coverage_sentence(step) : "") + "\n";
  return text.empty() ? "" : text + "\n";
}

/// What other libraries did to each op; "" if the sides have the same.
std::string family_table(const Comparison& comparison) {
  if (!compares_libraries(comparison)) return "";
  const std::vector<FamilyChange> families = family_changes(comparison);
  const double steps = steps_s(families);
  std::vector<Table::Column> columns{{"op"},
                                     {"library"},
                                     {"cases", Fit::number},
                                     {"change", Fit::number},
                                     {"of its cases", Fit::number}};
  if (steps > 0) {
    columns.push_back({"of the steps", Fit::number});
    columns.push_back({"adds", Fit::number});
  }
  columns.push_back({"verdicts", Fit::text});
  Table table(columns);
  std::size_t shown = 0, all = 0;
  for (const FamilyChange& family : families) {
    if (++all > kMostFamilies) continue;
    ++shown;
    const Colour colour = family.slower + family.broken > 0 ? Colour::red
                          : family.faster > 0               ? Colour::green
                                                            : Colour::none;
    std::vector<Table::Cell> cells{{family.op, colour},
                                   {family.backend},
                                   {std::to_string(family.cases)},
                                   {family_change_text(family)},
                                   {family_range_text(family)}};
    if (steps > 0) {
      cells.push_back({family_share_text(family, steps)});
      cells.push_back({family_added_text(family)});
    }
    cells.push_back({family_verdicts_text(family)});
    table.add(cells);
  }
  if (all > shown) table.add({{fmt::format("and {} more ops, in the page", all - shown)}});
  return table.empty() ? "" : table.text() + "\n";
}

}  // namespace

std::string verdict_text(const Comparison& comparison, const std::string& page) {
  const std::vector<const Finding*> cases = worst_per_case(comparison);
  const std::string counts = census_text(census_of(comparison, cases));
  const std::string first = answer_lines(comparison) +
                            fitted((counts.empty() ? "no cases" : counts) + "\n\n") +
                            fitted(step_lines(comparison)) + family_table(comparison) +
                            attention_table(comparison, cases) + cause_blocks(comparison, page);
  std::string text;
  for (const EnvironmentChange& change : comparison.environment_changes)
    text += fmt::format("{}: {} -> {}\n", change.label, change.baseline, change.candidate);
  text +=
      lines_of(comparison.notes) + lines_of(distribution_lines(comparison.distribution_changes));
  return first + fitted(text + unresolved_line(cases) + lines_of(own_measure_lines(comparison)));
}

int tell_no_baseline(const std::string& folder, const std::string& run, const Run& candidate) {
  std::string suites;
  for (const std::string& suite : suites_of(candidate))
    suites += (suites.empty() ? "" : ", ") + suite;
  const std::string refusal = refusal_of(candidate, folder);
  const std::string accept =
      refusal.empty() ? "; accept this run with:\n  " +
                            shell_command({"plumbline", "accept", run, "--baselines", folder})
                      : ", and this run cannot become one: " + visible(refusal);
  say_error(fmt::format("{} {} holds no accepted baseline of {} for {}{}\n",
                        coloured("not judged:", Colour::yellow, 2), folder, suites,
                        visible(candidate.info.environment.device_class), accept));
  return kExitNotJudged;
}

std::string json_of(const Comparison& comparison) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/comparison.json";
  write_comparison(comparison, path);
  return read_text(path);
}

}  // namespace plumbline
