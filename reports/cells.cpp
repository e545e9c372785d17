#include "reports/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/estimate/estimate.h"
#include "core/run/case.h"
#include "core/words.h"
#include "reports/glossary.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

std::string rounds_text(const SideView& side) {
  if (side.visits.empty()) return "–";
  std::set<std::int64_t> rounds;
  std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0;  // blocks that count
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

PageData number_data(const std::string& number, const std::string& unit) {
  return {{"number", number}, {"unit", number == "–" ? "" : unit}};
}

PageData row_data(const CaseView& view, bool is_compared) {
  const Cells cells = cells_of(view);
  const std::string change = is_compared                     ? cells.change.whole()
                             : cells.change.interval.empty() ? "–"
                                                             : cells.change.interval;
  return {{"label", label_data(view.label)},
          {"case", case_link(view)},
          {"metric", view.metric},
          {"before", is_compared ? number_data(cells.times.before, cells.times.unit) : PageData()},
          {"after", number_data(cells.times.after, cells.times.unit)},
          {"tone", is_compared ? view.label.tone : ""},
          {"change", change},
          {"rate", number_data(cells.rate.after, cells.rate.unit)},
          {"peak", cells.peak},
          {"remarks", unbroken(remarks_of(view))}};
}

}  // namespace

Cells cells_of(const CaseView& view) {
  Cells cells;
  const auto before = view.finding ? changed_from(*view.finding) : view.baseline.estimate;
  const auto after = view.finding ? changed_to(*view.finding) : view.candidate.estimate;
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
    cells.spread = percent_digits(100 * *view.spread, *view.spread < 0.1 ? 2 : 0) + "\u00A0%";
  cells.rounds = rounds_text(view.candidate);
  return cells;
}

std::string accepted_text(const Finding& finding) {
  if (!moved_since_baseline(finding)) return "";
  return quantity_text(*finding.baseline, finding.unit) + " when it was accepted";
}

std::string remarks_of(const CaseView& view) {
  std::string said(view.reason);
  const auto add = [&](const std::string& more) { said += (said.empty() ? "" : "; ") + more; };
  if (view.finding)
    if (const std::optional<double> raw = change_before_shift(*view.finding))
      add("as measured " + change_text(raw, {}, {}).whole());
  if (view.finding)
    if (const std::string then = accepted_text(*view.finding); !then.empty()) add(then);
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

std::string case_words(std::string_view id) {
  const CaseName name = name_of_case(id);
  std::string text = name.name + (name.backend.empty() ? "" : " " + name.backend);
  for (const auto& [key, value] : name.params) text += " " + key + "=" + value;
  return text;
}

PageData case_data(std::string_view id) {
  CaseName name = name_of_case(id);
  PageData params = PageData::array();
  for (auto& [key, value] : name.params)
    params.push_back({{"key", std::move(key)}, {"value", std::move(value)}});
  return {{"name", std::move(name.name)},
          {"backend", std::move(name.backend)},
          {"params", std::move(params)}};
}

PageData case_link(const CaseView& view) {
  PageData data = case_data(view.id);
  data["link"] = "#case=" + percent_encoded(view.id) + "&metric=" + percent_encoded(view.metric) +
                 "&suite=" + percent_encoded(view.suite);
  return data;
}

PageData label_data(const Label& label) {
  return {{"tone", label.tone},
          {"symbol", label.symbol},
          {"word", label.word},
          {"term", term_of(label.word)}};
}

std::string query_link(std::string_view query) { return "#q=" + percent_encoded(query); }

PageData lists_data(std::string_view kind, const std::vector<std::vector<std::string>>& lists) {
  PageData data = PageData::array();
  for (const std::vector<std::string>& lines : lists)
    if (!lines.empty()) data.push_back({{"kind", kind}, {"lines", lines}});
  return data;
}

PageData more_data(std::size_t shown, std::size_t all, std::string_view query) {
  if (shown >= all) return nullptr;
  return {{"link", query_link(query)}, {"count", number_text(double(all - shown), 0)}};
}

PageData rows_data(const ReportModel& model, std::span<const CaseView* const> views,
                   std::size_t limit, std::string_view query) {
  const bool is_compared = model.input.comparison != nullptr;
  PageData rows = PageData::array();
  for (const CaseView* view : views.first(std::min(limit, views.size())))
    rows.push_back(row_data(*view, is_compared));
  return {{"is_compared", is_compared},
          {"is_calibrated", model.is_calibrated},
          {"more", more_data(rows.size(), views.size(), query)},
          {"rows", std::move(rows)}};
}

}  // namespace plumbline
