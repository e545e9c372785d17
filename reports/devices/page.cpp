#include "reports/devices/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "reports/assets.h"
#include "reports/cells.h"
#include "reports/devices/charts.h"
#include "reports/devices/texts.h"
#include "reports/markup.h"
#include "reports/skeleton.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// A ratio of this much, or its inverse, has the full colour.
constexpr double kFullHeat = 4;

constexpr std::size_t kFirstRows = 200;   // that are laid out at once; the script shows the others
constexpr std::size_t kManyColumns = 12;  // from here on they are printed smaller
constexpr std::size_t kMostNamed = 20;    // cases of one reason; a filter finds the others

std::string identity_html(const DeviceTable& table) {
  std::set<std::string> suites, metrics;
  for (const DeviceRow& row : table.rows) {
    suites.insert(row.suite);
    metrics.insert(row.metric);
  }
  const auto list = [](const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  return fmt::format(
      "<p class=\"identity\"><b>{} {}s</b>{} · reference <b>{}</b> · {} cases × metric · {} · "
      "{}</p>\n",
      table.columns.size(), column_word(table),
      table.are_variants
          ? " on " + escaped(table.columns.front().run->info.environment.device_class)
          : "",
      escaped(table.columns[table.reference].name), table.rows.size(), escaped(list(suites)),
      escaped(list(metrics)));
}

std::string header_html(const DeviceTable& table) {
  std::string html = "<header>\n" + identity_html(table) + "<h1>" +
                     escaped(devices_sentence(table)) + "</h1>\n<ul class=\"quiet\">";
  for (const std::string& caveat : devices_caveats(table))
    html += "<li>" + escaped(caveat) + "</li>";
  return html + "</ul>\n</header>\n";
}

std::string ratio_or_dash(const std::optional<double>& ratio) {
  return ratio ? ratio_text(*ratio) : "–";
}

std::string models_html(const DeviceTable& table) {
  const bool is_priced = std::ranges::any_of(
      table.summaries, [](const DeviceSummary& one) { return one.price_ratio.has_value(); });
  std::string html =
      fmt::format("<section id=\"models\"><h2>What each {} comes to</h2>\n", column_word(table)) +
      ratios_html(table) +
      "<p class=\"small quiet\">A dot is a case's time, the bar the geometric mean over all; "
      "right of ×1 is better than the reference.</p>\n<div class=\"wide\"><table class=\"rows "
      "record stacked\"><thead><tr><th>" +
      std::string(column_word(table)) +
      "</th><th class=\"num\">×</th><th class=\"num\">least</th><th "
      "class=\"num\">median</th><th class=\"num\">greatest</th><th class=\"num\">cases</th><th "
      "class=\"num\">no ratio</th>";
  if (is_priced) html += "<th class=\"num\">price per work</th>";
  html += "<th>stack that differs from the reference's</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const DeviceSummary& one = table.summaries[i];
    const auto told = [&](const std::optional<double>& ratio) {
      return i == table.reference ? "" : ratio_or_dash(ratio);
    };
    std::string stack;
    for (const std::string& text : stack_texts(table.columns[i]))
      stack += (stack.empty() ? "" : "<br>") + escaped(text);
    html += fmt::format(
        "<tr><td>{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td "
        "class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td "
        "class=\"num\">{}</td>",
        escaped(table.columns[i].name),
        i == table.reference ? "reference" : ratio_or_dash(one.mean_ratio), told(one.least_ratio),
        told(one.median_ratio), told(one.greatest_ratio), one.cases, one.refused + one.absent);
    if (is_priced) html += "<td class=\"num\">" + ratio_or_dash(one.price_ratio) + "</td>";
    html += "<td class=\"said\">" +
            (i == table.reference ? ""
             : stack.empty()      ? "none recorded"
                                  : stack) +
            "</td></tr>\n";
  }
  return html + "</tbody></table></div></section>\n";
}

/// What hovering over a cell says.
std::string cell_title(const DeviceColumn& column, const DeviceRow& row, const DeviceCell& cell) {
  if (!cell.value) return cell.reason;  // most of a wide table: without its column's name
  std::string text = column.name + ": " + quantity_text(*cell.value, row.unit);
  if (cell.low)
    text += fmt::format(" [{}, {}]", quantity_text(*cell.low, row.unit),
                        quantity_text(*cell.high, row.unit));
  if (cell.ratio_low)
    text += fmt::format("; {} [{}, {}]", ratio_text(*cell.ratio), ratio_text(*cell.ratio_low),
                        ratio_text(*cell.ratio_high));
  if (cell.flops_per_s) text += "; " + quantity_text(*cell.flops_per_s, "FLOP/s");
  if (cell.bytes_per_s) text += "; " + quantity_text(*cell.bytes_per_s, "B/s");
  if (cell.visits < 2) text += "; one visit, no interval";
  if (!cell.reason.empty()) text += "; " + cell.reason;
  return text;
}

/// "heat up" with the strength as a custom property: 0 at ×1, 1 from kFullHeat on.
std::string heat(double ratio) {
  const double strength = std::min(1.0, std::abs(std::log(ratio)) / std::log(kFullHeat));
  return fmt::format(" class=\"num heat {}\" style=\"--heat:{:.2f}\"", ratio >= 1 ? "up" : "down",
                     strength);
}

std::string cell_html(const DeviceTable& table, std::size_t i, const DeviceRow& row) {
  const DeviceCell& cell = row.cells[i];
  const bool is_reference = i == table.reference;
  std::string html =
      "<td" + (cell.ratio && !is_reference ? heat(*cell.ratio) : std::string(" class=\"num\""));
  const double key = cell.ratio && !is_reference ? *cell.ratio : cell.value.value_or(kUnknown);
  if (!std::isnan(key)) html += fmt::format(" data-v=\"{:.6g}\"", key);
  if (!is_reference && !cell.ratio && cell.value) html += " data-bare";
  html += " title=\"" + escaped(cell_title(table.columns[i], row, cell)) + "\">";
  if (!cell.value) return html + "–</td>";
  html += escaped(quantity_text(*cell.value, row.unit));
  if (!is_reference)
    html += "<br><b>" + (cell.ratio ? ratio_text(*cell.ratio) : "no ratio") + "</b>";
  if (const std::string interval = ratio_interval_text(cell); !interval.empty())
    html += "<br><span class=\"unit\">" + interval + "</span>";
  if (table.are_variants && cell.flops_per_s)
    html += "<br><span class=\"unit\">" + escaped(quantity_text(*cell.flops_per_s, "FLOP/s")) +
            "</span>";
  else if (table.are_variants && cell.bytes_per_s)
    html +=
        "<br><span class=\"unit\">" + escaped(quantity_text(*cell.bytes_per_s, "B/s")) + "</span>";
  if (table.are_variants && cell.error && row.unit == "s")
    html += "<br><span class=\"unit\">error " + error_text(cell) + "</span>";
  if (cell.share) html += "<br><span class=\"unit\">" + share_text(*cell.share) + " of peak</span>";
  if (cell.price)
    html += fmt::format("<br><span class=\"unit\">{:.3g} a million</span>", *cell.price);
  if (cell.energy)
    html += "<br><span class=\"unit\">" + escaped(quantity_text(*cell.energy, "J")) + "</span>";
  return html + "</td>";
}

std::string row_html(const DeviceTable& table, const DeviceRow& row, bool has_metrics) {
  std::string html = fmt::format(
      "<tr data-id=\"{}\" data-suite=\"{}\" data-metric=\"{}\"><td class=\"name\">{}</td>",
      escaped(row.case_id), escaped(row.suite), escaped(row.metric), case_html(row.case_id));
  if (has_metrics) html += "<td class=\"metric\">" + escaped(row.metric) + "</td>";
  for (std::size_t i = 0; i < row.cells.size(); ++i) html += cell_html(table, i, row);
  return html + "</tr>\n";
}

std::string cases_html(const DeviceTable& table) {
  // Of a single metric the first line of the page says the name.
  const bool has_metrics = std::ranges::any_of(
      table.rows, [&](const DeviceRow& row) { return row.metric != table.rows.front().metric; });
  std::string html = fmt::format(
      "<section id=\"cases\"><h2>All cases</h2>\n<p class=\"scripted\"><label>Filter <input "
      "id=\"filter\" type=\"search\" size=\"40\" placeholder=\"op:gemm dtype:fp8 "
      "m:>=1024\" autocomplete=\"off\"></label> <span id=\"shown\" class=\"quiet small\">{} "
      "rows</span></p>\n<div class=\"wide\"><table class=\"rows record stacked matrix{}\" "
      "id=\"matrix\">"
      "<thead><tr><th>case</th>{}",
      table.rows.size(), table.columns.size() > kManyColumns ? " many" : "",
      has_metrics ? "<th>metric</th>" : "");
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    html +=
        fmt::format("<th class=\"num\" data-name=\"{0}\">{0}{1}</th>",
                    escaped(table.columns[i].name), i == table.reference ? "<br>reference" : "");
  html += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (i == kFirstRows) html += "</tbody><template>";
    html += row_html(table, table.rows[i], has_metrics);
  }
  html +=
      table.rows.size() > kFirstRows ? "</template></table></div>\n" : "</tbody></table></div>\n";
  if (table.rows.size() > kFirstRows)
    html += fmt::format(
        "<p><button type=\"button\" id=\"more\" class=\"scripted\">more rows</button> <span "
        "id=\"left\" class=\"quiet\">The first {} of {} rows; with scripts on, the page holds all "
        "of them.</span></p>\n",
        kFirstRows, table.rows.size());
  return html + "</section>\n";
}

std::string rooflines_section(const DeviceTable& table) {
  const std::string charts = rooflines_html(table);
  if (charts.empty())
    return "<section><h2>Rooflines</h2><p class=\"empty\">None: no device has both a calibration "
           "and cases whose cost is known.</p></section>\n";
  return "<section id=\"rooflines\"><h2>How near each device comes to its own limits</h2>\n" +
         charts +
         "<p class=\"small quiet\">Up: FLOP/s. Right: FLOP per byte that must move. The lines "
         "are what this device was calibrated to reach: copy bandwidth, then matrix products of "
         "each dtype that its cases are of.</p></section>\n";
}

std::string reasons_html(const DeviceTable& table) {
  const std::vector<DeviceReason> reasons = device_reasons(table);
  if (reasons.empty())
    return fmt::format(
        "<section><h2>Without a ratio</h2><p class=\"empty\">None: every {} has every "
        "case.</p></section>\n",
        column_word(table));
  std::string html = "<section id=\"reasons\"><h2>Without a ratio</h2>\n";
  for (const DeviceReason& one : reasons) {
    html += fmt::format("<details><summary>{}: {} ({})</summary><ul>", escaped(one.device),
                        escaped(one.reason), one.rows.size());
    for (const DeviceRow* row : std::span(one.rows).first(std::min(one.rows.size(), kMostNamed)))
      html += "<li>" + case_html(row->case_id) + " " + escaped(row->metric) + "</li>";
    if (one.rows.size() > kMostNamed)
      html +=
          fmt::format("<li><a href=\"{}\">{} more, and all others of {} without a ratio</a></li>",
                      escaped(query_link("without:\"" + one.device + '"')),
                      one.rows.size() - kMostNamed, escaped(one.device));
    html += "</ul></details>\n";
  }
  return html + "</section>\n";
}

}  // namespace

std::string render_devices(const DeviceTable& table, const std::string& title) {
  return fill(
      page_html(),
      {{"title",
        escaped(title.empty() ? (table.are_variants ? "Variants beside " : "Devices beside ") +
                                    table.columns[table.reference].name + " · Plumbline"
                              : title)},
       {"hash", std::string(devices_js_hash())},
       {"css", std::string(devices_css())},
       {"js", std::string(devices_js())},
       {"sections", header_html(table) + models_html(table) + cases_html(table) +
                        rooflines_section(table) + reasons_html(table)},
       {"data", ""}});
}

}  // namespace plumbline
