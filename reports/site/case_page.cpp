/// The page of a case: what it takes now, when it changed, and the material of its chart.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "analysis/compare/judge.h"
#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/site/frame.h"
#include "reports/site/site.h"
#include "reports/units.h"

namespace plumbline {
namespace {

std::string quantity(const PastValue& value, std::string_view unit) {
  std::optional<double> half_width;
  if (value.low && value.high) half_width = (*value.high - *value.low) / 2;
  return quantity_text(value.estimate, unit, half_width);
}

const PastRun& run_of(const SiteCase& shown, const Series& series, std::size_t at) {
  return (*shown.runs)[series.values[at].run];
}

std::string commit_link(const PastRun& run) {
  const std::string commit =
      run.commit.empty() ? escaped(run.started_at) : escaped(run.commit.substr(0, 10));
  return "<a href=\"../" + commit_page_name(run.path) + "\"><code>" + commit + "</code></a>";
}

std::string change_of_log(double log) { return change_text(std::expm1(log), {}, {}).change + " %"; }

std::string changes_html(const SiteCase& shown, const Series& series,
                         const SeriesReading& reading) {
  const std::string last = reading.last_is_apart
                               ? "<p>The last run lies apart from those before it; too few follow "
                                 "to place a change.</p>\n"
                               : "";
  if (reading.changes.empty() && !last.empty()) return last;
  if (reading.changes.empty())
    return "<p class=\"quiet\">No change was found among " +
           number_text(double(series.values.size()), 0) +
           (series.values.size() == 1 ? " run" : " runs") + ".</p>\n";
  std::string html = last + "<ul class=\"quiet\">";
  for (const ChangePoint& change : reading.changes) {
    const PastRun& run = run_of(shown, series, change.at);
    const bool is_slower = change.after > change.before;
    const bool is_moved =
        run.device_uuid != run_of(shown, series, change.at - 1).device_uuid;  // none is at 0
    html += fmt::format(
        "<li><span class=\"{}\">{}</span> with {}, {}{}</li>", is_slower ? "slower" : "faster",
        escaped(change_of_log(change.after - change.before)), commit_link(run),
        escaped(run.started_at), is_moved ? ", on another device than the run before" : "");
  }
  return html + "</ul>\n";
}

std::string series_html(const SiteCase& shown, std::size_t i) {
  const Series& series = shown.series[i];
  const PastValue& last = series.values.back();
  std::string html = fmt::format("<section class=\"series\" data-series=\"{}\">\n<h2>", i) +
                     escaped(series.metric) + "</h2>\n<p class=\"small quiet\">" +
                     escaped(series.device_class) + ", revision " + escaped(series.revision) +
                     "</p>\n<p><span class=\"move\"><strong>" +
                     escaped(quantity(last, series.unit)) + "</strong></span> " +
                     verdict_html(shown.verdicts[i].back()) + " at " +
                     commit_link(run_of(shown, series, series.values.size() - 1)) + ", " +
                     escaped(run_of(shown, series, series.values.size() - 1).started_at) + "</p>\n";
  html += changes_html(shown, series, shown.readings[i]);
  return html + "</section>\n";
}

/// Six digits: finer than any interval.
void append_value(std::string& out, std::optional<double> value) {
  if (value && std::isfinite(*value))
    fmt::format_to(std::back_inserter(out), "{:.6g}", *value);
  else
    out += "null";
}

void append_series(std::string& out, const SiteCase& shown, std::size_t i) {
  const Series& series = shown.series[i];
  out += "{\"metric\":";
  append_json(out, series.metric);
  out += ",\"unit\":";
  append_json(out, series.unit);
  out += ",\"values\":[";
  for (std::size_t k = 0; k < series.values.size(); ++k) {
    const PastValue& value = series.values[k];
    out += k == 0 ? "[" : ",[";
    append_json(out, (*shown.runs)[value.run].path);
    out += ',';
    append_value(out, value.estimate);
    out += ',';
    append_value(out, value.low);
    out += ',';
    append_value(out, value.high);
    out += ',';
    append_json(out, shown.verdicts[i][k]);
    out += ']';
  }
  out += "],\"changes\":[";
  for (const ChangePoint& change : shown.readings[i].changes) {
    if (out.back() != '[') out += ',';
    fmt::format_to(std::back_inserter(out), "[{},{:.6g},{:.6g}]", change.at,
                   std::exp(change.before), std::exp(change.after));
  }
  out += fmt::format("],\"last_is_apart\":{}}}", shown.readings[i].last_is_apart);
}

std::string data_html(const SiteCase& shown) {
  std::string out = "<script type=\"application/json\" id=\"data-case\">{\"series\":[";
  for (std::size_t i = 0; i < shown.series.size(); ++i) {
    if (i > 0) out += ',';
    append_series(out, shown, i);
  }
  out += "],\"absences\":[";
  for (const Absence& absence : shown.absences) {
    out += out.back() == '[' ? "[" : ",[";
    append_json(out, absence.key);
    out += ',';
    append_json(out, absence.status);
    out += ']';
  }
  return out + "]}</script>\n";
}

}  // namespace

std::vector<CaseLine> lines_of(const SiteCase& shown) {
  std::vector<CaseLine> lines;
  for (std::size_t i = 0; i < shown.series.size(); ++i) {
    const Series& series = shown.series[i];
    CaseLine line{std::string(shown.suite),
                  std::string(shown.case_id),
                  series.metric,
                  series.device_class,
                  quantity(series.values.back(), series.unit),
                  std::string(shown.verdicts[i].back()),
                  std::string(shown.status),
                  {},
                  series.values.size()};
    line.last_is_apart = shown.readings[i].last_is_apart;
    for (const ChangePoint& change : shown.readings[i].changes)
      line.steps.push_back(
          {run_of(shown, series, change.at).path, std::expm1(change.after - change.before)});
    lines.push_back(std::move(line));
  }
  if (lines.empty())
    lines.push_back({std::string(shown.suite),
                     std::string(shown.case_id),
                     "",
                     "",
                     "–",
                     "",
                     std::string(shown.status),
                     {},
                     0});
  return lines;
}

std::string render_case_page(const SiteCase& shown) {
  std::string body =
      "<header>\n<p class=\"identity\"><a href=\"../index.html\">All commits</a> · "
      "<a href=\"../cases.html\">All cases</a> · suite " +
      escaped(shown.suite) + "</p>\n<h1>" + case_html(shown.case_id) + "</h1>\n</header>\n";
  for (std::size_t i = 0; i < shown.series.size(); ++i) body += series_html(shown, i);
  if (shown.series.empty()) body += "<p class=\"quiet\">No run holds a time of this case.</p>\n";
  body += "<section id=\"absences\"></section>\n";
  body +=
      "<noscript><p class=\"quiet\">The chart of the runs and its table are drawn by a script; "
      "the same numbers are in data/*.csv beside these pages.</p></noscript>\n";
  const std::string title = std::string(shown.case_id.substr(0, 200)) + " · Plumbline";
  return framed({title, "../", true}, body + data_html(shown));
}

}  // namespace plumbline
