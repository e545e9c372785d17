/// Changes that a comparison suspected and that were not confirmed, in pairs of both builds or by a
/// later run, each with what became of it.
#include "reports/section.h"

#include <fmt/format.h>

#include "analysis/compare/judge.h"
#include "reports/cells.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRows = 40;

/// Pairs, or visits of a later run, that a finding was confirmed or not by.
std::size_t repeats(const Finding& finding) {
  return finding.pairs > 0 ? finding.pairs : finding.rerun_visits;
}

bool is_unconfirmed(const CaseView& view) {
  const Finding* const finding = view.finding;
  return finding && finding->screened && repeats(*finding) > 0 &&
         finding->verdict != Verdict::slower && finding->verdict != Verdict::faster;
}

std::string row_html(const CaseView& view) {
  const Finding& finding = *view.finding;
  const auto cell = [](const std::string& text) { return "<td>" + escaped(text) + "</td>"; };
  return "<tr><td>" + case_link(view) + "</td>" + cell(std::string(view.metric)) +
         cell(percent_text(*finding.screened)) + cell(percent_text(finding.change.value_or(0))) +
         cell(fmt::format("{} {}", repeats(finding), finding.pairs > 0 ? "pairs" : "visits")) +
         "<td>" + label_html(view.label) + "</td></tr>\n";
}

std::string html(const ReportModel& model) {
  if (!model.input.comparison) return "";
  std::string rows;
  std::size_t found = 0, repeated = 0;
  for (const CaseView& view : model.cases) {
    repeated += view.finding && repeats(*view.finding) > 0;
    if (is_unconfirmed(view) && ++found <= kMostRows) rows += row_html(view);
  }
  std::string page =
      "<section id=\"unconfirmed\" aria-label=\"Changes that were not confirmed\">\n";
  if (found == 0)
    return page + "<p class=\"empty\">Looked changed, not confirmed: none" +
           (repeated == 0 ? "; nothing was measured a second time" : "") + ".</p>\n</section>\n";
  page +=
      "<h2>Looked changed, not confirmed</h2>\n<p class=\"quiet\">Against the baseline these "
      "looked changed; measured again, they differ as the fourth column says: both builds side by "
      "side in pairs, or this build alone in visits of a later run.</p>\n"
      "<div class=\"wide\"><table "
      "class=\"rows\"><thead><tr><th>case</th><th>metric</th><th>looked</th>"
      "<th>again</th><th>by</th><th>verdict</th></tr></thead><tbody>\n" +
      rows + "</tbody></table></div>\n";
  if (found > kMostRows)
    page += fmt::format("<p class=\"quiet\">{} more in the table of all cases.</p>\n",
                        found - kMostRows);
  return page + "</section>\n";
}

}  // namespace

Section unconfirmed_section() { return {"unconfirmed", 25, html, nullptr}; }

}  // namespace plumbline
