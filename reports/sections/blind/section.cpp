/// Cases that could not see a change of the margin, each with what would cure it: one folded list.
#include "reports/section.h"

#include <fmt/format.h>

#include <map>

#include "reports/cells.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRows = 100;

std::string row_html(const Finding& finding, const CaseView* view) {
  const BlindSpot& spot = *finding.blind;
  const auto cell = [](const std::string& text) { return "<td>" + escaped(text) + "</td>"; };
  const auto sd = [&](double value) { return cell(value > 0 ? share_text(value) : "–"); };
  return "<tr><td>" + (view ? case_link(*view) : escaped(finding.case_id)) + "</td>" +
         cell(finding.metric) + cell(share_text(spot.detectable)) + sd(spot.block_sd) +
         sd(spot.visit_sd) + sd(spot.run_sd) + cell(spot.cure) + "</tr>\n";
}

std::string html(const ReportModel& model) {
  const Comparison* const comparison = model.input.comparison;
  if (!comparison) return "";
  const std::vector<const Finding*> blind = blind_cases(*comparison);
  std::string page = "<section id=\"blind\" aria-label=\"Blind cases\">\n";
  if (blind.empty())
    return page + "<p class=\"empty\">Too noisy to see a change of " +
           escaped(share_text(comparison->rule.margin)) + ": none.</p>\n</section>\n";
  const std::string margins = blind_margins_text(*comparison, blind);
  std::map<const Finding*, const CaseView*> views;
  for (const CaseView& view : model.cases) views[view.finding] = &view;
  page += fmt::format(
      "<details><summary>{} {} too noisy to see {}</summary>\n"
      "<p class=\"quiet\">The smallest change that each would show four times in five, what one "
      "run’s value of it varies by (blocks of a round, rounds, whole runs), and what would bring "
      "it below {}.</p>\n"
      "<div class=\"wide\"><table class=\"rows\"><thead><tr><th>case</th><th>metric</th>"
      "<th>smallest change seen</th><th>blocks</th><th>rounds</th><th>runs</th>"
      "<th>what would cure it</th></tr></thead><tbody>\n",
      number_text(double(blind.size()), 0), blind.size() == 1 ? "case is" : "cases are",
      escaped(margins), escaped(margins));
  for (std::size_t i = 0; i < blind.size() && i < kMostRows; ++i) {
    const auto view = views.find(blind[i]);
    page += row_html(*blind[i], view == views.end() ? nullptr : view->second);
  }
  page += "</tbody></table></div>\n";
  if (blind.size() > kMostRows)
    page += fmt::format("<p class=\"quiet\">{} more in comparison.json.</p>\n",
                        blind.size() - kMostRows);
  return page + "</details>\n</section>\n";
}

}  // namespace

Section blind_section() { return {"blind", 35, html, nullptr}; }

}  // namespace plumbline
