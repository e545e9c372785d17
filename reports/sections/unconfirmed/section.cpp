/// Suspected changes that pairs or a later run did not confirm, each with its outcome.
#include "reports/section.h"

#include <fmt/format.h>

#include "analysis/compare/judge.h"
#include "reports/cells.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRows = 40;

/// Number of pairs, or visits of a later run, that tested a finding.
std::size_t repeats(const Finding& finding) {
  return finding.pairs > 0 ? finding.pairs : finding.rerun_visits;
}

bool is_unconfirmed(const CaseView& view) {
  const Finding* const finding = view.finding;
  return finding && finding->screened && repeats(*finding) > 0 &&
         finding->verdict != Verdict::slower && finding->verdict != Verdict::faster;
}

PageData row_data(const CaseView& view) {
  const Finding& finding = *view.finding;
  return {{"case", case_link(view)},
          {"metric", view.metric},
          {"then", quantity_text(finding.baseline.value_or(kUnknown), finding.unit)},
          {"today", quantity_text(finding.baseline_today.value_or(kUnknown), finding.unit)},
          {"now", quantity_text(finding.candidate.value_or(kUnknown), finding.unit)},
          {"looked", percent_text(*finding.screened)},
          {"again", percent_text(finding.change.value_or(0))},
          {"by", fmt::format("{} {}", repeats(finding), finding.pairs > 0 ? "pairs" : "visits")},
          {"label", label_data(view.label)}};
}

PageData content(const ReportModel& model) {
  if (!model.input.comparison) return nullptr;
  PageData rows = PageData::array();
  std::size_t found = 0;
  for (const CaseView& view : model.cases)
    if (is_unconfirmed(view) && ++found <= kMostRows) rows.push_back(row_data(view));
  if (found == 0) return nullptr;
  return {{"rows", std::move(rows)},
          {"left", found > kMostRows ? std::to_string(found - kMostRows) : ""}};
}

}  // namespace

Section unconfirmed_section() { return {"unconfirmed", 25, content, nullptr}; }

}  // namespace plumbline
