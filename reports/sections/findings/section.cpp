/// Cards for findings that need action, then faster cases.
#include "reports/section.h"

#include <fmt/format.h>

#include "reports/cause_text.h"
#include "reports/cells.h"
#include "reports/glossary.h"
#include "reports/sections/findings/cards.h"
#include "reports/sections/findings/commands.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostCards = 40;
constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostFolded = 50;  // cases of one cause

/// The cases of a cause by op and backend; null if one line names them.
PageData parts_data(const Cause& cause) {
  if (cause.parts.size() == 1) return nullptr;
  PageData list = PageData::array();
  for (const CausePart& part : cause.parts)
    list.push_back({{"op", part.op}, {"backend", part.backend}, {"where", where_text(part)}});
  return {{"list", std::move(list)}};
}

std::string carriers_text(const Cause& cause) {
  if (cause.parts.size() == 1 || !cause.trait || cause.trait->kind != "kernel") return "";
  return fmt::format("{} of the {} cases that run it", cause.trait->changed, cause.trait->cases);
}

/// One sentence: the likely reason, or what changed besides the time, or that nothing did.
std::string why_text(const ReportModel& model, const Card& card) {
  if (card.view->label.word == "broken" || card.cause == nullptr) return card.reason;
  const std::vector<FactLine> lines = fact_lines(*card.cause, model.input.comparison);
  for (const FactLine& line : lines) {
    if (line.label.empty()) return line.text;
    if (line.label == "likely reason" || line.label == "also changed" || line.label == "whole run")
      return fmt::format("{}: {}.", line.label == "whole run" ? "also changed" : line.label,
                         line.text);
  }
  return lines.empty() ? card.reason : "Nothing else that was recorded changed.";
}

/// How far the cases moved, for each metric.
PageData changes_data(const Cause& cause) {
  PageData changes = PageData::array();
  for (const MetricChange& change : cause.changes)
    changes.push_back(
        {{"metric", change.metric},
         {"range", range_text(change)},
         {"cases", change.cases == cause.cases ? "" : fmt::format("{} cases", change.cases)}});
  return changes;
}

/// Null if there are none.
PageData facts_data(const ReportModel& model, const Cause& cause) {
  PageData lines = PageData::array();
  for (const FactLine& line : fact_lines(cause, model.input.comparison))
    lines.push_back({{"label", line.label}, {"text", line.text}});
  return lines.empty() ? PageData() : PageData{{"lines", std::move(lines)}};
}

/// `verdict:slower op:gemm`: finds the cause's cases, and few others, in the table.
std::string query_of(const Cause& cause, std::string_view word) {
  std::string query = "verdict:" + std::string(word);
  if (cause.parts.size() == 1) query += " op:" + cause.parts[0].op;
  return query;
}

PageData members_data(const ReportModel& model, const Card& card) {
  if (card.cause->cases < 2) return nullptr;
  PageData members =
      rows_data(model, card.cases, kMostFolded, query_of(*card.cause, card.view->label.word));
  members["count"] = card.cause->cases;
  return members;
}

PageData commands_data(const ReportModel& model, const Card& card) {
  PageData commands = PageData::array();
  for (const NextStep& step : next_steps(model, card))
    commands.push_back({{"purpose", step.purpose}, {"command", step.command}});
  return commands;
}

/// The change of the worst case; null if there is none.
PageData worst_data(const Card& card) {
  if (card.lines.empty()) return nullptr;
  PageData worst = card.lines[0];
  worst["metrics"] = card.metrics;
  worst["term"] = meaning_of(card.view->metric).empty() ? "" : std::string(card.view->metric);
  return worst;
}

PageData card_data(const ReportModel& model, const Card& card) {
  const Label& label = card.view->label;
  const Cause* cause = card.cause;
  const bool is_of_several = cause != nullptr && cause->cases != 1;
  PageData figures = PageData::array();
  for (std::size_t i = 1; i < card.figures.size(); ++i) figures.push_back(card.figures[i]);
  return {{"tone", label.tone},
          {"label", label_data(label)},
          {"case", case_link(*card.view)},
          {"subject", is_of_several ? subject_text(*cause) : ""},
          {"worst", worst_data(card)},
          {"where",
           cause && is_of_several && cause->parts.size() == 1 ? where_text(cause->parts[0]) : ""},
          {"why", why_text(model, card)},
          {"picture", card.figures.empty() ? PageData() : card.figures[0]},
          {"changes", is_of_several ? changes_data(*cause) : PageData()},
          {"cost", is_of_several ? cost_text(*cause) : ""},
          {"carriers", cause ? carriers_text(*cause) : ""},
          {"parts", cause ? parts_data(*cause) : PageData()},
          {"lines", card.lines},
          {"reason", card.reason},
          {"figures", std::move(figures)},
          {"facts", cause ? facts_data(model, *cause) : PageData()},
          {"members", cause ? members_data(model, card) : PageData()},
          {"commands", commands_data(model, card)}};
}

/// A cause of faster cases, folded.
PageData gain_data(const ReportModel& model, const Cause& cause, std::size_t number) {
  std::vector<const CaseView*> cases;
  for (const CaseView& view : model.cases)
    if (view.finding && view.finding->cause == number) cases.push_back(&view);
  PageData gain = rows_data(model, cases, kMostFolded, query_of(cause, "faster"));
  gain["headline"] = cause_headline(cause);
  gain["size"] = size_text(cause);
  gain["facts"] = facts_data(model, cause);
  return gain;
}

/// Null if there are none.
PageData faster_data(const ReportModel& model) {
  std::vector<const CaseView*> uncaused;
  bool is_any = false;
  for (const CaseView& view : model.cases) {
    if (view.label.word != "faster") continue;
    is_any = true;
    if (view.finding->cause == 0) uncaused.push_back(&view);
  }
  PageData gains = PageData::array();
  const std::vector<Cause>& causes = model.input.comparison->causes;
  for (std::size_t i = 0; is_any && i < causes.size(); ++i)
    if (causes[i].verdict == Verdict::faster) gains.push_back(gain_data(model, causes[i], i + 1));
  if (!is_any) return nullptr;
  return {{"gains", std::move(gains)},
          {"uncaused", uncaused.empty() ? PageData()
                                        : rows_data(model, uncaused, kMostRows, "verdict:faster")}};
}

PageData content(const ReportModel& model) {
  const bool is_compared = model.input.comparison != nullptr;
  const Cards cards = make_cards(model, kMostCards);
  PageData list = PageData::array();
  for (const Card& card : cards.cards) list.push_back(card_data(model, card));
  PageData faster = is_compared ? faster_data(model) : PageData();
  if (list.empty() && faster.is_null()) return nullptr;
  return {{"action", list.empty() ? PageData() : PageData{{"cards", std::move(list)}}},
          {"more", more_data(cards.cards.size(), cards.total, "action")},
          {"faster", std::move(faster)}};
}

}  // namespace

Section findings_section() { return {"findings", 20, content, nullptr}; }

}  // namespace plumbline
