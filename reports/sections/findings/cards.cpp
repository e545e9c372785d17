#include "reports/sections/findings/cards.h"

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/past.h"
#include "reports/strip.h"

namespace plumbline {
namespace {

/// `12.41 µs`, or only the dash.
std::string with_unit(const std::string& number, const std::string& unit) {
  return number == "–" || unit.empty() ? number : number + "\u00A0" + unit;
}

/// `gpu_time_cold 12.41 µs → 12.89 µs +3.9 % [+3.4, +4.3] confirmed in 12 pairs`.
void add_line(PageData& lines, const CaseView& view) {
  if (view.metric.empty()) return;
  const Cells cells = cells_of(view);
  const QuantityPair& times = cells.times;
  const bool is_gone = times.after == "–" && times.before != "–";
  lines.push_back({{"metric", view.metric},
                   {"accepted", view.finding ? accepted_text(*view.finding) : ""},
                   {"before", times.before == "–" ? "" : with_unit(times.before, times.unit)},
                   {"after", is_gone ? "no value" : with_unit(times.after, times.unit)},
                   {"change", cells.change.change.empty() ? "" : cells.change.change + "\u00A0%"},
                   {"interval", cells.change.interval},
                   {"confirmation", view.finding ? confirmation_text(*view.finding) : ""}});
}

std::string reason_of(const CaseView& view) {
  if (view.label.word != "broken" || view.finding == nullptr) return view.reason;
  const std::string was = "Was " + view.finding->baseline_status + ", is ";
  if (view.reason.starts_with(view.status)) return was + view.reason;
  return was + std::string(view.status) + (view.reason.empty() ? "" : ": " + view.reason);
}

/// Timers that agree are shown once.
bool agree(const CaseView& a, const CaseView& b) {
  constexpr double kApart = 0.01;
  return a.finding && b.finding && a.finding->change && b.finding->change &&
         std::abs(*a.finding->change - *b.finding->change) <= kApart;
}

/// Causes by number, then cases without one in the page's order.
using CardKey = std::pair<std::size_t, std::size_t>;
constexpr std::size_t kNoCause = std::numeric_limits<std::size_t>::max();

const CaseView* worst_of(const Cause* cause, const std::vector<const CaseView*>& views) {
  if (cause != nullptr)
    for (const CaseView* view : views)
      if (view->suite == cause->worst_suite && view->id == cause->worst_case &&
          view->metric == cause->worst_metric)
        return view;
  return views.front();
}

Card card_of(const ReportModel& model, const Pasts& pasts, const Cause* cause,
             std::vector<const CaseView*> views) {
  Card card;
  card.cause = cause;
  card.view = worst_of(cause, views);
  add_line(card.lines, *card.view);
  card.metrics = card.view->metric;
  for (const CaseView* view : views)
    if (view != card.view && view->suite == card.view->suite && view->id == card.view->id) {
      add_line(card.lines, *view);
      if (agree(*view, *card.view)) card.metrics.append(", ").append(view->metric);
    }
  card.cases = std::move(views);
  card.reason = reason_of(*card.view);
  for (PageData figure :
       {strip_of(model, *card.view), past_strip(pasts.of(*card.view), card.view->label.tone)})
    if (!figure.is_null()) card.figures.push_back(std::move(figure));
  card.reproduce = reproduce_command(model, *card.view);
  return card;
}

}  // namespace

Cards make_cards(const ReportModel& model, std::size_t limit) {
  const std::vector<Cause>* causes =
      model.input.comparison ? &model.input.comparison->causes : nullptr;
  std::map<CardKey, std::vector<const CaseView*>> groups;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> order;
  for (const CaseView& view : model.cases) {
    if (!view.label.needs_action) continue;
    const std::size_t cause = causes && view.finding ? view.finding->cause : 0;
    const bool has_cause = cause > 0 && cause <= causes->size();
    const auto place = order.try_emplace({view.suite, view.id}, order.size()).first->second;
    groups[has_cause ? CardKey{cause, 0} : CardKey{kNoCause, place}].push_back(&view);
  }
  Cards found;
  found.total = groups.size();
  const Pasts pasts(model.input.history, *model.input.candidate);
  for (auto& [key, views] : groups) {
    if (found.cards.size() == limit) break;
    const Cause* cause = key.first == kNoCause ? nullptr : &(*causes)[key.first - 1];
    found.cards.push_back(card_of(model, pasts, cause, std::move(views)));
  }
  return found;
}

}  // namespace plumbline
