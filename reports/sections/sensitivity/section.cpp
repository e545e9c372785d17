/// Cases that could not see a change of the margin, each with what would help: one folded list.
#include "reports/section.h"

#include <map>
#include <ranges>

#include "reports/cells.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRows = 100;

PageData row_data(const Finding& finding, const CaseView& view) {
  const BlindSpot& spot = *finding.blind;
  const auto sd = [](double value) { return value > 0 ? share_text(value) : "–"; };
  return {{"case", case_link(view)},
          {"metric", finding.metric},
          {"detectable", share_text(spot.detectable)},
          {"blocks", sd(spot.block_sd)},
          {"rounds", sd(spot.visit_sd)},
          {"runs", sd(spot.run_sd)},
          {"cure", spot.cure}};
}

PageData content(const ReportModel& model) {
  const Comparison* const comparison = model.input.comparison;
  if (!comparison) return nullptr;
  const std::vector<const Finding*> blind = blind_cases(*comparison);
  if (blind.empty()) return nullptr;
  std::map<const Finding*, const CaseView*> views;
  for (const CaseView& view : model.cases) views[view.finding] = &view;
  PageData rows = PageData::array();
  for (const Finding* finding : blind | std::views::take(kMostRows))
    rows.push_back(row_data(*finding, *views.at(finding)));
  const std::size_t left = blind.size() - rows.size();
  return {{"count",
           number_text(double(blind.size()), 0) + (blind.size() == 1 ? " case is" : " cases are")},
          {"margins", blind_margins_text(*comparison, blind)},
          {"rows", std::move(rows)},
          {"left", left > 0 ? std::to_string(left) : ""}};
}

}  // namespace

Section sensitivity_section() { return {"sensitivity", 35, content, nullptr}; }

}  // namespace plumbline
