/// The picture at the top: a row for each cause, then for its cases, with the change, its interval,
/// and the margin as a band. Without causes, the cases that moved most.
#include "reports/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <ranges>

#include "reports/cells.h"
#include "reports/culprits.h"
#include "reports/glossary.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRows = 14, kMostOthers = 8;
constexpr std::array<std::string_view, 2> kWords{"interval", "margin"};  // of the legend
constexpr double kWidth = 1000;                                          // of the view box
constexpr double kRoomOfALabel = 0.2 * kWidth;

/// Changes are fractions; intervals are NaN if there is none.
struct Row {
  const CaseView* view = nullptr;  // null: a shift of the run
  std::string name;
  bool is_part = false;  // a case below its cause
  double change = kUnknown, low = kUnknown, high = kUnknown;
  std::string said, interval, cost;
};

/// `direction=backward dtype=float16`: for a case below its cause, which names the op.
std::string params_words(std::string_view id) {
  std::string text;
  for (const auto& [key, value] : name_of_case(id).params)
    text += (text.empty() ? "" : " ") + key + "=" + value;
  return text.empty() ? case_words(id) : text;
}

std::string cost_of(const std::optional<double>& cost, const std::string& unit) {
  return cost && *cost != 0 ? quantity_text(*cost, unit) : "";
}

Row row_of(const CaseView& view) {
  const Finding& finding = *view.finding;
  Row row;
  row.view = &view;
  row.name = case_words(view.id);
  row.change = finding.change.value_or(kUnknown);
  row.low = finding.change_low.value_or(kUnknown);
  row.high = finding.change_high.value_or(kUnknown);
  const ChangeText text = change_text(finding.change, finding.change_low, finding.change_high);
  row.said = ChangeText{text.change, ""}.whole();
  row.interval = text.interval;
  row.cost = cost_of(added_by(finding), finding.unit);
  return row;
}

/// From the smallest to the largest change of its cases, with the worst case as the point.
Row row_of(const Culprit& culprit, const CaseView& worst) {
  Row row = row_of(worst);
  row.name = culprit.name;
  if (culprit.cause->cases < 2) return row;
  row.low = std::min(culprit.low, culprit.high);
  row.high = std::max(culprit.low, culprit.high);
  row.said = (worst.finding->change.value_or(0) < 0 ? "−" : "+") + size_words(culprit);
  row.interval = "";
  row.cost = cost_of(culprit.cause->cost, culprit.cause->unit);
  return row;
}

/// The shift of all cases, or of a part of the run: it is removed from the rows below.
Row row_of(const RunShift& shift) {
  Row row;
  row.name = shift.part == RunPart::whole
                 ? "the whole run"
                 : fmt::format("the {} part of the run", name_of(shift.part));
  row.change = shift.change;
  row.low = shift.change_low;
  row.high = shift.change_high;
  const ChangeText text = change_text(shift.change, shift.change_low, shift.change_high);
  row.said = ChangeText{text.change, ""}.whole();
  row.interval = text.interval;
  return row;
}

void add_shifts(const Comparison& comparison, std::vector<Row>& rows) {
  std::vector<Row> shifts;
  if (comparison.shift) shifts.push_back(row_of(*comparison.shift));
  for (const RunShift& shift : comparison.part_shifts) shifts.push_back(row_of(shift));
  for (Row& row : rows) {
    if (comparison.has_shifted()) row.cost.clear();  // most of the cost comes from the shift
  }
  rows.insert(rows.begin(), shifts.begin(), shifts.end());
}

std::vector<const CaseView*> cases_of(const ReportModel& model, const Culprit& culprit) {
  std::vector<const CaseView*> views;
  if (culprit.cause == nullptr || culprit.cause->cases < 2) return views;
  const std::size_t number = std::size_t(culprit.cause - model.input.comparison->causes.data()) + 1;
  for (const CaseView& view : model.cases)
    if (view.finding && view.finding->cause == number && view.metric == culprit.finding->metric)
      views.push_back(&view);
  return views;
}

const CaseView* view_of(const ReportModel& model, const Finding* finding) {
  const auto found = std::ranges::find(model.cases, finding, &CaseView::finding);
  return found == model.cases.end() ? nullptr : &*found;
}

double size_of(const CaseView* view) { return std::abs(added_by(*view->finding).value_or(0)); }

/// Adds what changed: causes, with their cases while there is room.
void add_culprits(const ReportModel& model, Verdict verdict, std::vector<Row>& rows) {
  const std::vector<Culprit> culprits = culprits_of(*model.input.comparison, verdict);
  for (const Culprit& culprit : culprits) {
    const CaseView* worst = view_of(model, culprit.finding);
    if (rows.size() == kMostRows || worst == nullptr || !worst->finding->change) continue;
    auto parts = cases_of(model, culprit);
    rows.push_back(culprit.cause ? row_of(culprit, *worst) : row_of(*worst));
    if (rows.size() + parts.size() > kMostRows || culprits.size() + parts.size() > kMostRows)
      continue;
    std::ranges::stable_sort(parts, std::greater(), size_of);
    for (const CaseView* part : parts) {
      rows.push_back(row_of(*part));
      rows.back().is_part = true;
      rows.back().name = params_words(part->id);
    }
  }
}

/// For a comparison without changes: cases with the most evidence first.
std::vector<Row> rows_of_others(const ReportModel& model) {
  std::vector<const Finding*> findings;
  for (const Finding* finding : worst_per_case(*model.input.comparison))
    if (finding->change && finding->entry == 0) findings.push_back(finding);
  std::ranges::stable_sort(
      findings, [](const Finding* a, const Finding* b) { return has_more_evidence(*a, *b); });
  std::vector<Row> rows;
  for (const Finding* finding : findings | std::views::take(kMostOthers))
    if (const CaseView* view = view_of(model, finding)) rows.push_back(row_of(*view));
  return rows;
}

/// The range of the picture: all points, zero and the margin; intervals are cut at its ends.
struct Scale {
  double low, high;
  double at(double change) const {
    return kWidth * (std::clamp(change, low, high) - low) / (high - low);
  }
};

Scale scale_of(const std::vector<Row>& rows, double margin) {
  double low = -2 * margin, high = 2 * margin;
  for (const Row& row : rows) {
    const double reach = 3 * std::abs(row.change) + margin;
    low = std::min({low, row.change, std::max(std::isfinite(row.low) ? row.low : 0, -reach)});
    high = std::max({high, row.change, std::min(std::isfinite(row.high) ? row.high : 0, reach)});
  }
  const double room = 0.04 * (high - low);
  return {low - room, high + room};
}

PageData row_data(const Row& row, const Scale& scale, double margin) {
  const double y = 14;
  const bool has_interval = std::isfinite(row.low) && std::isfinite(row.high);
  const bool is_shift = row.view == nullptr;
  return {{"tone", is_shift ? "unresolved" : row.view->label.tone},
          {"is_part", row.is_part},
          {"link", is_shift ? PageData("") : case_link(*row.view)["link"]},
          {"label", row.is_part || is_shift ? PageData() : label_data(row.view->label)},
          {"name", row.name},
          {"band_x", fmt::format("{:.1f}", scale.at(-margin))},
          {"band_width", fmt::format("{:.1f}", scale.at(margin) - scale.at(-margin))},
          {"zero_path", fmt::format("M{:.1f} 0V28", scale.at(0))},
          {"interval",
           has_interval ? fmt::format("M{:.1f} {}H{:.1f}", scale.at(row.low), y, scale.at(row.high))
                        : ""},
          {"dot",
           std::isfinite(row.change) ? fmt::format("M{:.1f} {}h0", scale.at(row.change), y) : ""},
          {"change", row.said},
          {"interval_text", row.interval},
          {"cost", row.cost}};
}

std::string title_of(const Comparison& comparison, std::size_t causes, std::size_t rows) {
  if (comparison.has_shifted())
    return "What moved: the run, and the cases after this shift is removed.";
  if (causes == 1) return "What changed.";
  if (causes > 1) return "What changed, most costly first.";
  return rows == 1 ? "The case that moved." : fmt::format("The {} cases that moved most.", rows);
}

bool has_cost(const std::vector<Row>& rows) {
  return std::ranges::any_of(rows, [](const Row& row) { return !row.cost.empty(); });
}

std::string legend_of(const Comparison& comparison) {
  return "Lines are intervals of changes, the band is the margin of ± " +
         share_text(comparison.rule.margin) +
         (comparison.has_shifted() ? "." : ": a case whose line lies in it is the same.");
}

PageData content(const ReportModel& model) {
  const Comparison* comparison = model.input.comparison;
  if (comparison == nullptr) return nullptr;
  std::vector<Row> rows;
  for (const Verdict verdict : {Verdict::slower, Verdict::looks_slower, Verdict::faster})
    add_culprits(model, verdict, rows);
  const std::size_t changed = rows.size();
  // Broken cases are shown alone: unchanged cases would distract.
  if (rows.empty() && comparison->count(Verdict::broken) == 0) rows = rows_of_others(model);
  if (rows.empty()) return nullptr;
  add_shifts(*comparison, rows);
  const double margin = comparison->rule.margin;
  const Scale scale = scale_of(rows, margin);
  PageData list = PageData::array();
  for (const Row& row : rows) list.push_back(row_data(row, scale, margin));
  return {{"title", title_of(*comparison, changed, rows.size())},
          {"legend", {{"said", said_data(legend_of(*comparison), kWords)}}},
          {"has_cost", has_cost(rows)},
          {"zero", fmt::format("{:.1f}", 100 * scale.at(0) / kWidth)},
          {"low", scale.at(0) < kRoomOfALabel ? "" : percent_text(scale.low)},
          {"high", percent_text(scale.high)},
          {"rows", std::move(list)},
          {"more", nullptr}};
}

}  // namespace

Section forest_section() { return {"forest", 15, content, nullptr}; }

}  // namespace plumbline
