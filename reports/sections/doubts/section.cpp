/// Unresolved, not judged by reason, unstable, missing, new, renamed: a heading with its count,
/// folded where long.
#include "reports/section.h"

#include <set>
#include <string_view>
#include <utility>

#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/sections/doubts/groups.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostGroups = 40;  // reasons can be as many as cases
constexpr std::size_t kOpenRows = 5;     // a longer list starts folded

std::string capital(std::string_view word) {
  std::string text(word);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = char(text[0] - 'a' + 'A');
  return text;
}

/// "25", or where several are metrics of one case "25 metrics of 24 cases": the headline counts
/// cases.
std::string count_text(const DoubtGroup& group) {
  std::set<std::pair<std::string_view, std::string_view>> cases;
  for (const CaseView* view : group.views) cases.emplace(view->suite, view->id);
  std::string text = number_text(double(group.views.size()), 0);
  if (cases.size() < group.views.size())
    text += " metrics of " + number_text(double(cases.size()), 0) +
            (cases.size() == 1 ? " case" : " cases");
  return text;
}

std::string group_html(const ReportModel& model, const DoubtGroup& group) {
  std::string html = group.views.size() <= kOpenRows ? "<details open>" : "<details>";
  html += "<summary>" + label_html(group.label) + " " + count_text(group);
  if (!group.reason.empty()) html += " · <bdi>" + escaped(group.reason) + "</bdi>";
  return html + "</summary>\n" + rows_html(model, group.views, kMostRows, group.query) +
         "</details>\n";
}

std::string html(const ReportModel& model) {
  std::string page = "<section id=\"doubts\">\n", empty;
  std::size_t shown = 0, left = 0;
  for (const DoubtGroup& group : make_doubt_groups(model)) {
    if (group.views.empty()) {
      empty.append(empty.empty() ? "" : " ").append(capital(group.label.word)).append(": none.");
    } else if (shown < kMostGroups) {
      if (shown++ == 0)
        page += model.input.comparison ? "<h2>Without a verdict, or in doubt</h2>\n"
                                       : "<h2>Not measured, or in doubt</h2>\n";
      page += group_html(model, group);
    } else {
      left += group.views.size();
    }
  }
  if (left > 0)
    page += "<p class=\"quiet\">" + number_text(double(left), 0) +
            " more, each for a reason of its own, in the table of all cases.</p>\n";
  if (!model.input.comparison)
    empty.append(empty.empty() ? "" : " ")
        .append(
            "Unconfirmed, acknowledged, quarantined, missing, new, renamed: not known of a run "
            "that is compared with none.");
  if (!empty.empty()) page += "<p class=\"empty\">" + empty + "</p>\n";
  return page + "</section>\n";
}

}  // namespace

Section doubts_section() { return {"doubts", 30, html, nullptr}; }

}  // namespace plumbline
