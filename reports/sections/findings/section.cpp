/// Cards for what needs action, then what became faster.
#include "reports/section.h"

#include <fmt/format.h>

#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/sections/findings/cards.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostCards = 40;
constexpr std::size_t kMostRows = 20;

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
  if (line.pairs > 0)
    html += fmt::format(" <span class=\"quiet\">confirmed in {} pairs</span>", line.pairs);
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
         "</span></div>\n<p class=\"quiet small\">" + escaped(strip.caption) + "</p></figure>\n";
}

std::string card_html(const ReportModel& model, const Card& card) {
  const Label& label = card.view->label;
  std::string html = "<article class=\"card " + std::string(label.tone) + "\">\n<h3>" +
                     label_html(label) + " " + case_link(*card.view) + "</h3>\n";
  for (const CardLine& line : card.lines) html += line_html(line, label.tone);
  if (!card.reason.empty())
    html += "<p class=\"reason\"><bdi>" + escaped(card.reason) + "</bdi></p>\n";
  html += figure_html(card.strip);
  html += command_html("measure again", card.reproduce);
  if (model.input.comparison && card.view->label.word == "slower")
    html += command_html("accept this run", card.accept);
  return html + "</article>\n";
}

std::string faster_html(const ReportModel& model) {
  std::vector<const CaseView*> faster;
  for (const CaseView& view : model.cases)
    if (view.label.word == "faster") faster.push_back(&view);
  if (faster.empty()) return "<p class=\"empty\">Faster: none.</p>\n";
  return "<h2>Faster</h2>\n" + rows_html(model, faster, kMostRows, "verdict:faster");
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
        "<p class=\"quiet\"><a href=\"{}\">{} more in the table of all cases</a></p>\n",
        escaped(query_link("action")), number_text(double(cards.total - cards.cards.size()), 0));
  if (compared) page += faster_html(model);
  return page + "</section>\n";
}

}  // namespace

Section findings_section() { return {"findings", 20, html, nullptr}; }

}  // namespace plumbline
