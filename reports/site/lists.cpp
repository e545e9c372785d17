/// The index of commits, the list of cases, and the script in which case pages look runs up.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/past.h"
#include "reports/site/frame.h"
#include "reports/site/site.h"
#include "reports/units.h"
#include "stats/change_point.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostChanges = 20;

std::string commit_of(const SiteRun& run) {
  return run.commit.empty() ? run.started_at : run.commit.substr(0, 10);
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

constexpr std::array<std::string_view, 10> kWorstFirst{
    "BROKEN", "SLOWER",     "MISSING", "NOT_JUDGED", "FASTER",
    "FIXED",  "UNRESOLVED", "SAME",    "NEW",        "EXPECTED"};

/// Place among verdicts of the worst one that a run holds; behind all of them where it holds none.
std::size_t worst_rank(const SiteRun& run) {
  const auto worst = std::ranges::find_if(
      kWorstFirst, [&](std::string_view word) { return run.counts.contains(std::string(word)); });
  return std::size_t(worst - kWorstFirst.begin());
}

/// A cell that keeps its label where the window is too narrow for a table's head.
std::string cell(std::string_view label, const std::string& html, std::string_view classes = "") {
  return fmt::format("<td{} data-label=\"{}\">{}</td>",
                     classes.empty() ? "" : fmt::format(" class=\"{}\"", classes), label, html);
}

/// What a commit is known by at a glance: its worst verdict, or that nothing was compared.
std::string worst_html(const SiteRun& run) {
  for (const std::string_view word : kWorstFirst)
    if (const auto found = run.counts.find(std::string(word)); found != run.counts.end())
      return verdict_html(word) + " " + escaped(found->second);
  for (const std::string_view excused : kEntryKindNames)
    if (const auto found = run.counts.find(std::string(excused)); found != run.counts.end())
      return "<span class=\"label unjudged\"><span aria-hidden=\"true\">○</span> " +
             std::string(excused) + "</span> " + escaped(found->second);
  return "<span class=\"label unjudged\"><span aria-hidden=\"true\">○</span> not compared</span>";
}

std::string run_link(const KeyedRun& run) {
  return "<a href=\"" + commit_page_name(run.key) + "\"><code>" + escaped(commit_of(*run.run)) +
         "</code></a>";
}

std::string run_row(const KeyedRun& shown) {
  const SiteRun& run = *shown.run;
  std::string html = "<tr><td>" + worst_html(run) + "</td><td class=\"name\"><a href=\"" +
                     commit_page_name(shown.key) + "\"><code>" + escaped(commit_of(run)) +
                     "</code>";
  if (!run.subject.empty()) html += " <bdi class=\"subject\">" + escaped(run.subject) + "</bdi>";
  return html + "</a></td>" + cell("author", escaped(run.author)) +
         cell("measured", escaped(run.started_at), "num") +
         cell("device", escaped(run.device_class), "device") +
         cell("suites", escaped(joined_names(run.suites))) +
         cell("in words", escaped(run.sentence), "said") + "</tr>\n";
}

std::string case_anchor(const CaseLine& line) {
  return "<a href=\"" + case_page_name(line.suite, line.case_id) + "\">" + case_html(line.case_id) +
         "</a>";
}

std::string step_html(double change) {
  return fmt::format("<span class=\"{}\">{} %</span>", change > 0 ? "slower" : "faster",
                     escaped(change_text(change, {}, {}).change));
}

/// Whether something about the last run changed that no placed change tells.
bool is_apart(const CaseLine& line) {
  const bool is_called = line.verdict == "SLOWER" || line.verdict == "FASTER";
  return line.last_is_apart || (is_called && line.steps.empty());
}

/// Which cases' last run lies apart: their change cannot be placed before more runs follow.
std::string late_html(const std::vector<CaseLine>& cases) {
  std::set<std::pair<std::string_view, std::string_view>> apart;
  std::string links;
  for (const CaseLine& line : cases)
    if (is_apart(line) && apart.insert({line.suite, line.case_id}).second &&
        apart.size() <= kMostChanges)
      links += "<li>" + case_anchor(line) + "</li>";
  if (apart.empty()) return "";
  return fmt::format(
      "<p>The last run of {} {} lies apart from those before it or from its baseline; too few runs "
      "to place the change.</p>\n<ul class=\"apart\">{}</ul>\n",
      number_text(double(apart.size()), 0), apart.size() == 1 ? "case" : "cases", links);
}

/// What is said where no change is placed.
std::string no_change_html(const std::vector<CaseLine>& cases) {
  constexpr std::size_t kLeast = ChangeSearch{}.min_size + 1;
  const bool has_history =
      std::ranges::any_of(cases, [](const CaseLine& line) { return line.runs >= kLeast; });
  return "<p class=\"empty\">" +
         (has_history ? std::string("No case has changed from one run to the next.")
                      : fmt::format("A case's changes are placed from {} runs on.", kLeast)) +
         "</p>\n";
}

/// The newest changes of all cases, those of one commit together, largest first.
std::string changes_html(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases) {
  std::map<std::string_view, std::vector<std::pair<double, const CaseLine*>>> by_run;
  for (const CaseLine& line : cases)
    for (const CaseLine::Step& step : line.steps) by_run[step.key].emplace_back(step.change, &line);
  const std::string late = late_html(cases);
  if (by_run.empty()) return late.empty() ? no_change_html(cases) : late;
  std::string html =
      "<div class=\"wide\"><table class=\"rows\"><thead><tr><th>change</th><th>case</th><th>metric"
      "</th><th>device</th><th>first seen with</th></tr></thead><tbody>\n";
  std::size_t shown = 0, all = 0;
  for (const KeyedRun& run : std::views::reverse(runs)) {
    auto& changes = by_run[run.key];
    all += changes.size();
    std::ranges::stable_sort(changes, [](const auto& a, const auto& b) {
      return std::abs(a.first) > std::abs(b.first);
    });
    for (const auto& [change, line] : changes) {
      if (shown == kMostChanges) break;
      ++shown;
      html += "<tr>" + cell("change", step_html(change), "num") + "<td class=\"name\">" +
              case_anchor(*line) + "</td>" + cell("metric", escaped(line->metric), "metric") +
              cell("device", escaped(line->device_class), "device") +
              cell("first seen with", run_link(run) + ", " + escaped(run.run->started_at)) +
              "</tr>\n";
    }
  }
  html += "</tbody></table></div>\n";
  if (all > shown)
    html += fmt::format(
        "<p class=\"quiet\"><a href=\"cases.html\">{} earlier ones are with their cases</a></p>\n",
        all - shown);
  return html + late;
}

std::string search_html(std::string_view what) {
  return fmt::format(
      "<p class=\"scripted\"><label>Search <input id=\"search\" type=\"search\" "
      "placeholder=\"words, all of which must hold\" aria-label=\"Search the {}\"></label> "
      "<span id=\"found\" class=\"quiet\" role=\"status\"></span></p>\n",
      what);
}

/// The newest run of each class of devices, worst first.
std::vector<KeyedRun> newest_by_device(const std::vector<KeyedRun>& runs) {
  std::map<std::string_view, KeyedRun> newest;  // runs come in the order of time
  for (const KeyedRun& run : runs) newest.insert_or_assign(run.run->device_class, run);
  std::vector<KeyedRun> sorted;
  for (const auto& [device, run] : newest) sorted.push_back(run);
  std::ranges::stable_sort(sorted, {}, [](const KeyedRun& run) { return worst_rank(*run.run); });
  return sorted;
}

std::string sentence_of(const SiteRun& run) {
  return run.sentence.empty() ? "The last run was not compared with a baseline." : run.sentence;
}

std::string run_words(const KeyedRun& run) {
  return run_link(run) + ", " + escaped(run.run->started_at) + ", " +
         escaped(run.run->device_class);
}

/// What the newest runs say: of several classes of devices each by itself.
std::string headline_html(const std::vector<KeyedRun>& runs) {
  const std::vector<KeyedRun> newest = newest_by_device(runs);
  const SiteRun& worst = *newest.front().run;
  if (newest.size() == 1)
    return "<p class=\"quiet\">Latest: " + run_words(newest.front()) + "</p>\n<h1>" +
           escaped(sentence_of(worst)) + "</h1>\n";
  std::string html = "<h1>" + escaped(worst.device_class + ": " + sentence_of(worst)) +
                     "</h1>\n<ul class=\"latest\">";
  for (const KeyedRun& run : newest)
    html += "<li>" + worst_html(*run.run) + ": " + escaped(sentence_of(*run.run)) +
            " <span class=\"quiet\">" + run_words(run) + "</span></li>";
  return html + "</ul>\n";
}

std::string case_row(const CaseLine& line) {
  const std::string verdict = line.status == "OK" || line.status.empty()
                                  ? verdict_html(line.verdict)
                                  : verdict_html(line.status);
  const std::string change = is_apart(line)       ? "last run apart"
                             : line.steps.empty() ? "–"
                                                  : step_html(line.steps.back().change);
  return "<tr><td>" + (verdict.empty() ? "–" : verdict) + "</td><td class=\"name\">" +
         case_anchor(line) + "</td>" + cell("suite", escaped(line.suite)) +
         cell("metric", escaped(line.metric), "metric") +
         cell("device", escaped(line.device_class), "device") +
         cell("last", escaped(line.latest), "num") + cell("last change", change, "num") +
         cell("changes", std::to_string(line.steps.size()), "num") +
         cell("runs", std::to_string(line.runs), "num") + "</tr>\n";
}

}  // namespace

std::string render_index(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                         const std::string& title, const std::vector<std::string>& notes) {
  std::string body = "<header>\n<p class=\"identity\"><b>" + escaped(title) + "</b> · " +
                     fmt::format("{} runs", runs.size()) +
                     " · <a href=\"cases.html\">all cases</a></p>\n" + headline_html(runs);
  if (!notes.empty()) {
    body += "<ul class=\"warning\">";
    for (const std::string& note : notes) body += "<li>" + escaped(note) + "</li>";
    body += "</ul>\n";
  }
  body += "</header>\n<section id=\"changes\">\n<h2>What changed last</h2>\n" +
          changes_html(runs, cases) + "</section>\n<section id=\"commits\">\n<h2>Commits</h2>\n" +
          search_html("commits") +
          "<div class=\"wide\"><table class=\"rows filtered\"><thead><tr><th>verdict</th>"
          "<th>commit</th><th>author</th><th class=\"num\">measured</th><th>device</th>"
          "<th>suites</th><th>in words</th></tr></thead><tbody>\n";
  for (const KeyedRun& run : std::views::reverse(runs)) body += run_row(run);
  return framed({title + " · Plumbline", "", false}, body + "</tbody></table></div>\n</section>\n");
}

std::string render_case_list(const std::vector<CaseLine>& cases, const std::string& title) {
  std::string body =
      "<header>\n<p class=\"identity\"><b>" + escaped(title) +
      "</b> · <a href=\"index.html\">all commits</a></p>\n<h1>Cases</h1>\n</header>\n<section "
      "id=\"cases\">\n" +
      search_html("cases") +
      "<div class=\"wide\"><table class=\"rows filtered\"><thead><tr><th>last verdict</th>"
      "<th>case</th><th>suite</th><th>metric</th><th>device</th><th class=\"num\">last</th>"
      "<th class=\"num\">last change</th><th class=\"num\">changes</th><th class=\"num\">runs</th>"
      "</tr></thead><tbody>\n";
  for (const CaseLine& line : cases) body += case_row(line);
  return framed({"Cases of " + title + " · Plumbline", "", false},
                body + "</tbody></table></div>\n</section>\n");
}

std::string render_runs_script(const std::vector<KeyedRun>& runs) {
  std::string script = "var plumbline_runs = {\n";
  for (const KeyedRun& shown : runs) {
    append_json(script, shown.key);
    script += ": [";
    const SiteRun& run = *shown.run;
    for (const std::string& text :
         {run.started_at, run.commit, run.subject, run.software, short_device(run.device_uuid)}) {
      if (script.back() != '[') script += ',';
      append_json(script, text);
    }
    script += "],\n";
  }
  return script + "};\n";
}

}  // namespace plumbline
