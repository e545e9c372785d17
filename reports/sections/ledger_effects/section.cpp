/// People's earlier decisions: failures that suites expect, acknowledged changes, quarantined
/// cases. Folded, each with its reason.
#include "reports/section.h"

#include <array>

#include "reports/cells.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRows = 50;

struct Group {
  std::string_view word;  // of the label
  std::string_view title;
  bool is_of_run = false;  // also in a run alone
};
constexpr std::array kGroups{Group{"expected", "Failing as expected", true},
                             Group{"acknowledged", "Acknowledged changes"},
                             Group{"quarantined", "Quarantined"}};

PageData content(const ReportModel& model) {
  PageData groups = PageData::array();
  for (const Group& group : kGroups) {
    if (!model.input.comparison && !group.is_of_run) continue;
    std::vector<const CaseView*> views;
    for (const CaseView& view : model.cases)
      if (view.label.word == group.word) views.push_back(&view);
    if (views.empty()) continue;
    PageData data = rows_data(model, views, kMostRows, "verdict:" + std::string(group.word));
    data["label"] = label_data(views.front()->label);
    data["count"] = number_text(double(views.size()), 0);
    data["title"] = group.title;
    groups.push_back(std::move(data));
  }
  if (groups.empty()) return nullptr;
  return {{"groups", std::move(groups)}};
}

}  // namespace

Section ledger_effects_section() { return {"ledger_effects", 28, content, nullptr}; }

}  // namespace plumbline
