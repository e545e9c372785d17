#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "reports/cause_text.h"
#include "reports/exports/exports.h"
#include "reports/exports/findings_text.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

/// Verdicts that have a line of their own, most important first.
constexpr std::array kShown{Verdict::broken,     Verdict::slower,  Verdict::missing,
                            Verdict::not_judged, Verdict::faster,  Verdict::fixed,
                            Verdict::unresolved, Verdict::expected};
constexpr std::size_t kRoomForTheEnd = 200;

/// Text inside a table cell: no character acts as markup.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (std::string_view("\\`*_{}[]<>|#~").find(c) != std::string_view::npos) out += '\\';
    if (c == '\n' || c == '\r')
      out += ' ';
    else
      out += c;
  }
  return out;
}

std::string row_of(const Comparison& comparison, const Finding& finding) {
  return fmt::format("| **{}** | {} | {} | {} | {} | {} |\n", verdict_words(comparison, finding),
                     finding.cause > 0 ? std::to_string(finding.cause) : "", cell(finding.case_id),
                     cell(finding.metric), cell(numbers_of(finding)), cell(why_of(finding)));
}

/// The causes as a numbered list, as far as they fit into a third of the room.
std::string list_of_causes(const Comparison& comparison, std::size_t limit_bytes) {
  std::string text;
  for (std::size_t i = 0; i < comparison.causes.size(); ++i) {
    const Cause& cause = comparison.causes[i];
    const std::string line =
        fmt::format("{}. **{}** {}\n", i + 1, name_of(cause.verdict), cell(cause_line(cause)));
    if (text.size() + line.size() > limit_bytes / 3) {
      text +=
          fmt::format("\n{} more causes are in comparison.json.\n", comparison.causes.size() - i);
      break;
    }
    text += line;
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string markdown_text(const Comparison& comparison, std::size_t limit_bytes) {
  std::string text = fmt::format("## Plumbline: {}\n\n{}\n", cell(sentence(comparison)),
                                 census_text(census_of(comparison), " · "));
  for (const EnvironmentChange& change : comparison.environment_changes)
    text += fmt::format("\n- {}: {} → {}", cell(change.label), cell(change.baseline),
                        cell(change.candidate));
  for (const std::string& note : comparison.notes) text += "\n- " + cell(note);
  text += "\n" + list_of_causes(comparison, limit_bytes);
  std::vector<const Finding*> rows;
  const std::vector<const Finding*> cases = worst_per_case(comparison);
  for (const Verdict verdict : kShown)
    for (const Finding* finding : cases)
      if (finding->verdict == verdict && finding->entry == 0) rows.push_back(finding);
  std::ranges::copy_if(cases, std::back_inserter(rows),
                       [](const Finding* f) { return f->entry > 0; });
  if (rows.empty()) return text;
  text += "\n| verdict | cause | case | metric | change | why |\n|---|---|---|---|---|---|\n";
  std::size_t shown = 0;
  for (const Finding* finding : rows) {
    const std::string row = row_of(comparison, *finding);
    if (text.size() + row.size() + kRoomForTheEnd > limit_bytes) break;
    text += row;
    ++shown;
  }
  if (shown < rows.size())
    text += fmt::format("\n{} more are in comparison.json.\n", rows.size() - shown);
  return text;
}

}  // namespace plumbline
