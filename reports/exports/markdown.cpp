#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "reports/answer.h"
#include "reports/cause_text.h"
#include "reports/exports/exports.h"
#include "reports/exports/findings_text.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

/// Verdicts with their own lines, most important first.
constexpr std::array kShown{Verdict::broken,       Verdict::slower,     Verdict::looks_slower,
                            Verdict::missing,      Verdict::not_judged, Verdict::faster,
                            Verdict::looks_faster, Verdict::fixed,      Verdict::unresolved,
                            Verdict::expected};
constexpr std::size_t kRoomForTheEnd = 200;

std::string row_of(const Comparison& comparison, const Finding& finding) {
  const bool is_demoted = finding.verdict == Verdict::same && is_unconfirmed(finding);
  return fmt::format("| **{}** | {} | {} | {} | {} | {} |\n",
                     is_demoted ? unconfirmed_words(finding) : verdict_words(comparison, finding),
                     finding.cause > 0 ? std::to_string(finding.cause) : "",
                     markdown_escaped(finding.case_id), markdown_escaped(finding.metric),
                     markdown_escaped(numbers_of(finding)), markdown_escaped(why_of(finding)));
}

/// The causes as a numbered list that takes at most a third of the limit.
std::string list_of_causes(const Comparison& comparison, std::size_t limit_bytes) {
  std::string text;
  for (std::size_t i = 0; i < comparison.causes.size(); ++i) {
    const Cause& cause = comparison.causes[i];
    const std::string line = fmt::format("{}. **{}** {}\n", i + 1, name_of(cause.verdict),
                                         markdown_escaped(cause_line(cause, &comparison)));
    if (text.size() + line.size() > limit_bytes / 3) {
      text +=
          fmt::format("\n{} more causes are in comparison.json.\n", comparison.causes.size() - i);
      break;
    }
    text += line;
  }
  return text.empty() ? "" : "\n" + text;
}

/// The differences between the runs, notes, tails, modes and the self-check.
std::string circumstances(const Comparison& comparison) {
  std::string text;
  const auto add = [&](const std::string& line) { text += "- " + markdown_escaped(line) + "\n"; };
  for (const EnvironmentChange& change : comparison.environment_changes)
    add(change.label + ": " + change.baseline + " → " + change.candidate);
  for (const std::string& note : comparison.notes) add(note);
  for (const std::string& line : distribution_lines(comparison.distribution_changes)) add(line);
  for (const std::string& line : own_measure_lines(comparison)) add(line);
  return text.empty() ? "" : "\n" + text;
}

/// Cases by verdict; open cases with the most evidence first.
std::vector<const Finding*> rows_of(const Comparison& comparison) {
  std::vector<const Finding*> rows;
  const std::vector<const Finding*> cases = worst_per_case(comparison);
  for (const Verdict verdict : kShown) {
    const auto first = std::ssize(rows);
    for (const Finding* finding : cases)
      if (finding->verdict == verdict && finding->entry == 0) rows.push_back(finding);
    if (verdict == Verdict::unresolved)
      std::stable_sort(rows.begin() + first, rows.end(), [](const Finding* a, const Finding* b) {
        return has_more_evidence(*a, *b);
      });
  }
  std::ranges::copy_if(unconfirmed_cases(comparison), std::back_inserter(rows),
                       [](const Finding* f) { return f->verdict == Verdict::same; });
  std::ranges::copy_if(cases, std::back_inserter(rows),
                       [](const Finding* f) { return f->entry > 0; });
  return rows;
}

}  // namespace

std::string markdown_text(const Comparison& comparison, std::size_t limit_bytes) {
  std::string text =
      fmt::format("## Plumbline · {}\n\n{}\n", markdown_escaped(answer_text(answer_of(comparison))),
                  census_text(census_of(comparison), " · "));
  text += list_of_causes(comparison, limit_bytes);
  const std::string end = circumstances(comparison);
  const std::vector<const Finding*> rows = rows_of(comparison);
  if (rows.empty()) return text + end;
  text += "\n| verdict | cause | case | metric | change | why |\n|---|---|---|---|---|---|\n";
  std::size_t shown = 0;
  for (const Finding* finding : rows) {
    const std::string row = row_of(comparison, *finding);
    if (text.size() + row.size() + end.size() + kRoomForTheEnd > limit_bytes) break;
    text += row;
    ++shown;
  }
  if (shown < rows.size())
    text += fmt::format("\n{} more are in comparison.json.\n", rows.size() - shown);
  return text + end;
}

}  // namespace plumbline
