/// What people decided beforehand: failures that suites expect, changes that were acknowledged,
/// cases in quarantine; folded, each with its reason.
#include "reports/section.h"

#include <array>

#include "reports/cells.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRows = 50;

struct Group {
  std::string_view word;  // of the label
  std::string_view title;
  bool is_of_run = false;  // also of a run alone
};
constexpr std::array kGroups{Group{"expected", "Failing as expected", true},
                             Group{"acknowledged", "Acknowledged changes"},
                             Group{"quarantined", "Quarantined"}};

std::string html(const ReportModel& model) {
  std::string page = "<section id=\"books\" aria-label=\"Decided beforehand\">\n", empty;
  for (const Group& group : kGroups) {
    if (!model.input.comparison && !group.is_of_run) continue;
    std::vector<const CaseView*> views;
    for (const CaseView& view : model.cases)
      if (view.label.word == group.word) views.push_back(&view);
    if (views.empty()) {
      empty.append(empty.empty() ? "" : " ").append(group.title).append(": none.");
      continue;
    }
    page +=
        "<details><summary>" + label_html(views.front()->label) + " " +
        number_text(double(views.size()), 0) + " · " + std::string(group.title) + "</summary>\n" +
        rows_html(model, views, kMostRows, "verdict:" + std::string(group.word)) + "</details>\n";
  }
  if (!empty.empty()) page += "<p class=\"empty\">" + empty + "</p>\n";
  return page + "</section>\n";
}

}  // namespace

Section books_section() { return {"books", 28, html, nullptr}; }

}  // namespace plumbline
