/// Cards for what needs action, then what became faster.
#include "reports/section.h"

#include <fmt/format.h>

#include "reports/cause_text.h"
#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/sections/findings/cards.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostCards = 40;
constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostFolded = 50;  // cases of one cause

/// `12.41 µs`, or the dash alone.
std::string with_unit(const std::string& number, const std::string& unit) {
  return escaped(number == "–" || unit.empty() ? number : number + "\u00A0" + unit);
}

std::string line_html(const CardLine& line, std::string_view tone) {
  if (line.metric.empty()) return "";
  const std::string toned = "<span class=\"" + std::string(tone) + "\">";
  std::string html =
      "<p class=\"move\"><span class=\"metric\">" + escaped(line.metric) + "</span> ";
  if (line.before != "–")
    html += "<span class=\"base\">" + with_unit(line.before, line.unit) + "</span> → ";
  html +=
      toned +
      (line.after == "–" && line.before != "–" ? "no value" : with_unit(line.after, line.unit)) +
      "</span>";
  if (!line.change.empty())
    html +=
        " <strong class=\"" + std::string(tone) + "\">" + escaped(line.change) + "\u00A0%</strong>";
  if (!line.interval.empty())
    html += " <span class=\"interval\">[" + escaped(line.interval) + "]</span>";
  if (!line.confirmation.empty())
    html += " <span class=\"quiet\">" + escaped(line.confirmation) + "</span>";
  return html + "</p>\n";
}

std::string command_html(std::string_view purpose, const std::string& command) {
  return "<div class=\"command\"><span>" + escaped(purpose) + "</span><code>" + escaped(command) +
         "</code><button type=\"button\" data-copy>copy</button></div>\n";
}

std::string figure_html(const Strip& strip) {
  if (strip.svg.empty()) return "";
  return "<figure><figcaption>" + escaped(strip.title) + "</figcaption>\n<div class=\"plot\">" +
         strip.svg + "<span class=\"top\">" + escaped(strip.top) +
         "</span><span class=\"bottom\">" + escaped(strip.bottom) +
         "</span></div>\n<p class=\"quiet small\">" + escaped(strip.caption) + "</p>" + strip.key +
         "</figure>\n";
}

/// Which cases, by op and backend where these are several.
std::string where_html(const Cause& cause) {
  if (cause.parts.size() == 1)
    return "<p class=\"where\"><bdi>" + escaped(where_text(cause.parts[0])) + "</bdi></p>\n";
  std::string html;
  if (cause.trait && cause.trait->kind == "kernel")
    html += fmt::format("<p class=\"where\">{} of the {} cases that run it</p>\n",
                        cause.trait->changed, cause.trait->cases);
  html += "<ul class=\"where\">";
  for (const CausePart& part : cause.parts)
    html += "<li><bdi><b>" + escaped(part.op) + "</b> " + escaped(part.backend) + ": " +
            escaped(where_text(part)) + "</bdi></li>";
  return html + "</ul>\n";
}

/// How far the cases moved, metric by metric, and what that sums up to.
std::string changes_html(const Cause& cause, std::string_view tone) {
  std::string html;
  for (const MetricChange& change : cause.changes)
    html += fmt::format(
        "<p class=\"move\"><span class=\"metric\">{}</span> <strong class=\"{}\">{}</strong>"
        "{}</p>\n",
        escaped(change.metric), tone, escaped(range_text(change)),
        change.cases == cause.cases
            ? ""
            : fmt::format(" <span class=\"quiet\">{} cases</span>", change.cases));
  if (const std::string cost = cost_text(cause); !cost.empty())
    html += "<p class=\"quiet small\">" + escaped(cost) + "</p>\n";
  return html;
}

std::string facts_html(const Cause& cause) {
  const std::vector<FactLine> lines = fact_lines(cause);
  if (lines.empty()) return "";
  std::string html = "<dl class=\"facts\">\n";
  for (const FactLine& line : lines)
    html += (line.label.empty() ? "<dt></dt>" : "<dt>" + escaped(line.label) + "</dt>") +
            "<dd><bdi>" + escaped(line.text) + "</bdi></dd>\n";
  return html + "</dl>\n";
}

/// `verdict:slower op:gemm`: the cause's cases, or little more, in the table.
std::string query_of(const Cause& cause, std::string_view word) {
  std::string query = "verdict:" + std::string(word);
  if (cause.parts.size() == 1) query += " op:" + cause.parts[0].op;
  return query;
}

std::string cases_html(const ReportModel& model, const Cause& cause,
                       const std::vector<const CaseView*>& cases, std::string_view word) {
  if (cause.cases < 2) return "";
  return fmt::format("<details><summary>all {} cases</summary>\n", cause.cases) +
         rows_html(model, cases, kMostFolded, query_of(cause, word)) + "</details>\n";
}

std::string heading_html(const Card& card) {
  const std::string label = label_html(card.view->label) + " ";
  if (card.cause == nullptr || card.cause->cases == 1) return label + case_link(*card.view);
  return label + "<bdi class=\"case\"><b>" + escaped(subject_text(*card.cause)) + "</b></bdi>";
}

std::string card_html(const ReportModel& model, const Card& card) {
  const Label& label = card.view->label;
  const Cause* cause = card.cause;
  std::string html = "<article class=\"card " + std::string(label.tone) + "\">\n<h3>" +
                     heading_html(card) + "</h3>\n";
  if (cause) html += where_html(*cause);
  if (cause && cause->cases > 1)
    html += changes_html(*cause, label.tone) + "<p class=\"worst\"><span class=\"quiet\">worst" +
            "</span> " + case_link(*card.view) + "</p>\n";
  for (const CardLine& line : card.lines) html += line_html(line, label.tone);
  if (!card.reason.empty())
    html += "<p class=\"reason\"><bdi>" + escaped(card.reason) + "</bdi></p>\n";
  html += figure_html(card.strip) + figure_html(card.past);
  if (cause) html += facts_html(*cause) + cases_html(model, *cause, card.cases, label.word);
  html += command_html("measure again", card.reproduce);
  if (model.input.comparison && card.view->label.word == "slower")
    html += command_html("accept this run", card.accept);
  return html + "</article>\n";
}

/// A cause of improvements, folded.
std::string gain_html(const ReportModel& model, const Cause& cause, std::size_t number) {
  std::vector<const CaseView*> cases;
  for (const CaseView& view : model.cases)
    if (view.finding && view.finding->cause == number) cases.push_back(&view);
  std::string summary = escaped(cause_headline(cause));
  if (const std::string size = size_text(cause); !size.empty())
    summary += " <span class=\"num faster\">" + escaped(size) + "</span>";
  return "<details class=\"gain\"><summary>" + summary + "</summary>\n" + facts_html(cause) +
         rows_html(model, cases, kMostFolded, query_of(cause, "faster")) + "</details>\n";
}

std::string faster_html(const ReportModel& model) {
  std::vector<const CaseView*> uncaused;
  std::size_t all = 0;
  for (const CaseView& view : model.cases) {
    if (view.label.word != "faster") continue;
    ++all;
    if (view.finding->cause == 0) uncaused.push_back(&view);
  }
  if (all == 0) return "<p class=\"empty\">Faster: none.</p>\n";
  std::string html = "<h2>Faster</h2>\n";
  const std::vector<Cause>& causes = model.input.comparison->causes;
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (causes[i].verdict == Verdict::faster) html += gain_html(model, causes[i], i + 1);
  if (!uncaused.empty()) html += rows_html(model, uncaused, kMostRows, "verdict:faster");
  return html;
}

std::string html(const ReportModel& model) {
  const bool compared = model.input.comparison != nullptr;
  const Cards cards = make_cards(model, kMostCards);
  std::string page = "<section id=\"findings\" aria-label=\"What needs action\">\n";
  if (cards.total == 0)
    page += compared ? "<p class=\"empty\">Slower or broken: none.</p>\n"
                     : "<p class=\"empty\">Wrong, crashed, timed out or out of memory: none.</p>\n";
  else
    page += "<h2>What needs action</h2>\n<div class=\"cards\">\n";
  for (const Card& card : cards.cards) page += card_html(model, card);
  if (cards.total > 0) page += "</div>\n";
  if (cards.total > cards.cards.size())
    page += fmt::format(
        "<p class=\"quiet\"><a href=\"{}\">{} more causes in the table of all cases</a></p>\n",
        escaped(query_link("action")), number_text(double(cards.total - cards.cards.size()), 0));
  if (compared) page += faster_html(model);
  return page + "</section>\n";
}

}  // namespace

Section findings_section() { return {"findings", 20, html, nullptr}; }

}  // namespace plumbline
