/// Unresolved, not judged by reason, unstable, missing, new, renamed: a heading with its count,
/// folded if long.
#include "reports/section.h"

#include <set>
#include <string_view>
#include <utility>

#include "reports/cells.h"
#include "reports/sections/doubts/groups.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostGroups = 40;  // there may be as many reasons as cases
constexpr std::size_t kOpenRows = 5;     // a longer list starts folded

/// "25", or if several are metrics of one case "25 metrics of 24 cases": the headline counts cases.
std::string count_text(const DoubtGroup& group) {
  std::set<std::pair<std::string_view, std::string_view>> cases;
  for (const CaseView* view : group.views) cases.emplace(view->suite, view->id);
  std::string text = number_text(double(group.views.size()), 0);
  if (cases.size() < group.views.size())
    text += " metrics of " + number_text(double(cases.size()), 0) +
            (cases.size() == 1 ? " case" : " cases");
  return text;
}

/// The heading tells the reason of all rows: they keep what else is remarkable.
void leave_out_reason(PageData& rows, const std::string& reason) {
  if (reason.empty()) return;
  constexpr std::string_view kBetween = "; ";
  for (PageData& row : rows) {
    std::string remarks = row["remarks"];
    if (remarks == reason)
      row["remarks"] = "";
    else if (remarks.starts_with(reason + std::string(kBetween)))
      row["remarks"] = remarks.substr(reason.size() + kBetween.size());
  }
}

PageData group_data(const ReportModel& model, const DoubtGroup& group) {
  PageData data = rows_data(model, group.views, kMostRows, group.query);
  leave_out_reason(data["rows"], unbroken(group.reason));
  data["is_open"] = group.views.size() <= kOpenRows;
  data["label"] = label_data(group.label);
  data["count"] = count_text(group);
  data["reason"] = group.reason;
  return data;
}

PageData content(const ReportModel& model) {
  PageData groups = PageData::array();
  std::size_t left = 0;
  for (const DoubtGroup& group : make_doubt_groups(model))
    if (groups.size() < kMostGroups)
      groups.push_back(group_data(model, group));
    else
      left += group.views.size();
  if (groups.empty()) return nullptr;
  return {{"heading",
           model.input.comparison ? "Without a verdict, or in doubt" : "Not measured, or in doubt"},
          {"groups", std::move(groups)},
          {"left", left > 0 ? number_text(double(left), 0) : ""}};
}

}  // namespace

Section doubts_section() { return {"doubts", 30, content, nullptr}; }

}  // namespace plumbline
