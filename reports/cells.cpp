#include "reports/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/estimate/estimate.h"
#include "core/case.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

std::string rounds_text(const SideView& side) {
  if (side.visits.empty()) return "–";
  std::set<std::int64_t> rounds;
  std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0;  // that count
  for (const ResultRow* row : side.visits) {
    rounds.insert(row->round);
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < row->samples.blocks(); ++i) blocks += counts(*row, i);
    least = std::min(least, blocks);
    most = std::max(most, blocks);
  }
  if (least == most) return fmt::format("{} × {}", rounds.size(), most);
  return fmt::format("{} × {}–{}", rounds.size(), least, most);
}

std::string number_cell(const std::string& number, const std::string& unit) {
  const bool is_known = number != "–" && !unit.empty();
  return "<td class=\"num\">" + escaped(number) +
         (is_known ? " <span class=\"unit\">" + escaped(unit) + "</span>" : "") + "</td>";
}

std::string row_html(const ReportModel& model, const CaseView& view) {
  const Cells cells = cells_of(view);
  std::string html = "<tr><td>" + label_html(view.label) + "</td><td class=\"name\">" +
                     case_link(view) + "</td><td class=\"metric mono\">" + escaped(view.metric) +
                     "</td>";
  if (model.input.comparison) {
    html += number_cell(cells.times.before, cells.times.unit);
    html += number_cell(cells.times.after, cells.times.unit);
    html += "<td class=\"num " + std::string(view.label.tone) + "\">" +
            escaped(cells.change.whole()) + "</td>";
  } else {
    html += number_cell(cells.times.after, cells.times.unit);
    html += "<td class=\"num\">" +
            escaped(cells.change.interval.empty() ? "–" : cells.change.interval) + "</td>";
  }
  html += number_cell(cells.rate.after, cells.rate.unit);
  if (model.is_calibrated) html += number_cell(cells.peak, "");
  return html + "<td class=\"said\">" + escaped(remarks_of(view)) + "</td></tr>\n";
}

}  // namespace

Cells cells_of(const CaseView& view) {
  Cells cells;
  const auto& before = view.baseline.estimate;
  const auto& after = view.candidate.estimate;
  std::optional<double> half_width;
  if (view.finding) {
    const Finding& f = *view.finding;
    cells.change = change_text(f.change, f.change_low, f.change_high);
    if (f.change_low && f.change_high) half_width = (*f.change_high - *f.change_low) / 2;
  } else if (after && view.candidate.high && *after != 0) {
    half_width = (*view.candidate.high - *after) / std::abs(*after);
    cells.change.interval = "± " + share_text(*half_width);
  }
  cells.times = quantity_pair(before, after, view.unit, half_width);
  cells.factor = scale_for(view.unit, after.value_or(before.value_or(0))).factor;
  const Rate rate = rate_of(view);
  cells.rate = {"", "–", ""};
  if (std::isfinite(rate.per_second))
    cells.rate = quantity_pair({}, rate.per_second, rate.unit, half_width);
  const double share = view.achieved.share();
  cells.peak = std::isfinite(share) ? share_text(share) : "–";
  cells.spread = "–";
  if (view.spread)
    cells.spread = number_text(100 * *view.spread, *view.spread < 0.1 ? 2 : 0) + "\u00A0%";
  cells.rounds = rounds_text(view.candidate);
  return cells;
}

std::string remarks_of(const CaseView& view) {
  std::string said(view.reason);
  const auto add = [&](const std::string& more) { said += (said.empty() ? "" : "; ") + more; };
  if (view.finding && !view.finding->renamed_from.empty())
    add("renamed from " + view.finding->renamed_from);
  for (const std::string_view flag : view.flags) add(std::string(flag));
  return said;
}

CaseName name_of_case(std::string_view id) {
  CaseName name;
  for (auto& [key, value] : case_id_parts(std::string(id))) {
    if (!key.empty())
      name.params.emplace_back(std::move(key), std::move(value));
    else if (name.name.empty())
      name.name = std::move(value);
    else
      name.backend += (name.backend.empty() ? "" : "/") + value;
  }
  return name;
}

std::string case_html(std::string_view id) {
  const CaseName name = name_of_case(id);
  std::string html = "<bdi class=\"case\"><b>" + escaped(name.name) + "</b>";
  if (!name.backend.empty()) html += " <i>" + escaped(name.backend) + "</i>";
  for (const auto& [key, value] : name.params)
    html += " <span>" + escaped(key) + "=<em>" + escaped(value) + "</em></span>";
  return html + "</bdi>";
}

std::string case_link(const CaseView& view) {
  return "<a href=\"#case=" + percent_encoded(view.id) +
         "&amp;metric=" + percent_encoded(view.metric) +
         "&amp;suite=" + percent_encoded(view.suite) + "\">" + case_html(view.id) + "</a>";
}

std::string label_html(const Label& label) {
  return fmt::format("<span class=\"label {}\"><span aria-hidden=\"true\">{}</span> {}</span>",
                     label.tone, label.symbol, label.word);
}

std::string query_link(std::string_view query) { return "#q=" + percent_encoded(query); }

std::string rows_html(const ReportModel& model, std::span<const CaseView* const> views,
                      std::size_t limit, std::string_view query) {
  const std::string values = model.input.comparison
                                 ? "<th class=\"num\">baseline</th><th class=\"num\">candidate</th>"
                                   "<th class=\"num\">change</th>"
                                 : "<th class=\"num\">value</th><th class=\"num\">interval</th>";
  std::string html =
      "<div class=\"wide\"><table class=\"rows\"><thead><tr><th>verdict</th><th>case</th>"
      "<th>metric</th>" +
      values + "<th class=\"num\">rate</th>" +
      (model.is_calibrated ? "<th class=\"num\">of peak</th>" : "") +
      "<th>remarks</th></tr></thead><tbody>\n";
  const std::size_t shown = std::min(limit, views.size());
  for (std::size_t i = 0; i < shown; ++i) html += row_html(model, *views[i]);
  html += "</tbody></table></div>\n";
  if (shown < views.size())
    html +=
        fmt::format("<p class=\"quiet\"><a href=\"{}\">{} more in the table of all cases</a></p>\n",
                    escaped(query_link(query)), number_text(double(views.size() - shown), 0));
  return html;
}

}  // namespace plumbline
