#include "reports/sections/findings/cards.h"

#include <map>
#include <utility>

#include "reports/cells.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

CardLine line_of(const CaseView& view) {
  const Cells cells = cells_of(view);
  return {&view,
          view.metric.empty() ? "" : std::string(view.metric),
          cells.times.before,
          cells.times.after,
          cells.times.unit,
          cells.change.change,
          cells.change.interval,
          view.finding ? view.finding->pairs : 0};
}

std::string reason_of(const CaseView& view) {
  if (view.label.word != "broken" || view.finding == nullptr) return view.reason;
  const std::string was = "Was " + view.finding->baseline_status + ", is ";
  if (view.reason.starts_with(view.status)) return was + view.reason;
  return was + std::string(view.status) + (view.reason.empty() ? "" : ": " + view.reason);
}

std::string accept_command(const ReportModel& model) {
  const std::string& path = model.input.candidate->path;
  return "plumbline accept " + shell_word(path.empty() ? "RUN" : path);
}

}  // namespace

Cards make_cards(const ReportModel& model, std::size_t limit) {
  Cards found;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  for (const CaseView& view : model.cases) {
    if (!view.label.needs_action) continue;
    const auto [at, is_new] = places.try_emplace({view.suite, view.id}, places.size());
    if (!is_new) {
      if (at->second < found.cards.size()) found.cards[at->second].lines.push_back(line_of(view));
      continue;
    }
    if (found.cards.size() == limit) continue;
    found.cards.push_back({&view,
                           {line_of(view)},
                           reason_of(view),
                           strip_of(model, view),
                           reproduce_command(model, view),
                           accept_command(model)});
  }
  found.total = places.size();
  return found;
}

}  // namespace plumbline
