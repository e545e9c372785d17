#include "reports/sections/environment/device.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/estimate/achieved.h"
#include "reports/markup.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::string_view kUncertainty = "_uncertainty";

/// The unit that the end of a calibration's name says.
std::string_view unit_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEnds{
      {{"flops_per_s", "FLOP/s"}, {"bytes_per_s", "B/s"}, {"_hz", "Hz"}, {"_s", "s"}}};
  for (const auto& [end, unit] : kEnds)
    if (name.ends_with(end)) return unit;
  return "";
}

std::string value_text(const RunInfo& info, const std::string& name) {
  const Calibrated found = calibrated(info, name);
  if (std::isnan(found.value)) return "–";
  if (!(found.uncertainty > 0)) return quantity_text(found.value, unit_of(name));
  return quantity_text(found.value, unit_of(name), found.uncertainty) + " ± " +
         share_text(found.uncertainty / std::abs(found.value));
}

std::string cell(const std::string& text) { return "<td class=\"num\">" + escaped(text) + "</td>"; }

std::string table_html(const std::string& head, const std::string& rows) {
  return "<div class=\"wide\"><table class=\"rows record\"><thead><tr>" + head +
         "</tr></thead><tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string calibration_html(const RunInfo& candidate, const RunInfo* baseline) {
  std::set<std::string> names;
  for (const RunInfo* info : {&candidate, baseline})
    if (info)
      for (const auto& [name, value] : info->calibration)
        if (!name.ends_with(kUncertainty)) names.insert(name);
  if (names.empty()) return "";
  std::string rows;
  for (const std::string& name : names)
    rows += "<tr><th scope=\"row\" class=\"mono\">" + escaped(name) + "</th>" +
            (baseline ? cell(value_text(*baseline, name)) : "") +
            cell(value_text(candidate, name)) + "</tr>\n";
  const std::string head = std::string("<th>what</th>") +
                           (baseline ? "<th class=\"num\">baseline</th>" : "") +
                           "<th class=\"num\">" + (baseline ? "candidate" : "this run") + "</th>";
  return "<details id=\"calibration\"><summary>Calibration: what this device reached in the "
         "run</summary>\n" +
         table_html(head, rows) + "</details>\n";
}

std::string drift_html(const RunInfo& info) {
  std::string rows;
  double largest = 0;
  for (const WorkerRecord& worker : info.workers)
    for (const auto& [name, before] : worker.sentinel_before) {
      const auto found = worker.sentinel_after.find(name);
      const bool is_whole = found != worker.sentinel_after.end() && before > 0;
      const double drift = is_whole ? found->second / before - 1 : kUnknown;
      const bool is_work = unit_of(name) == "s";  // power and temperature rise with any work
      if (is_work && std::abs(drift) > std::abs(largest)) largest = drift;
      rows += "<tr><th scope=\"row\" class=\"mono\">" + escaped(worker.name) + "</th>" +
              cell(number_text(double(worker.round), 0)) + "<td class=\"mono\">" +
              escaped(worker.started_at) + "</td><td class=\"mono\">" + escaped(name) + "</td>" +
              cell(quantity_text(before, unit_of(name))) +
              cell(is_whole ? quantity_text(found->second, unit_of(name)) : "–") +
              cell(is_whole ? signed_text(100 * drift, 2) + "\u00A0%" : "–") + "</tr>\n";
    }
  if (rows.empty()) return "";
  return "<details id=\"drift\"><summary>Drift of the device within each worker: fixed work " +
         escaped(signed_text(100 * largest, 2)) + "\u00A0% at most</summary>\n" +
         table_html(
             "<th>worker</th><th class=\"num\">round</th><th>started</th><th>fixed work, "
             "sensor</th>"
             "<th class=\"num\">before</th><th class=\"num\">after</th>"
             "<th class=\"num\">drift</th>",
             rows) +
         "</details>\n";
}

}  // namespace

std::string device_html(const RunInfo& candidate, const RunInfo* baseline) {
  return calibration_html(candidate, baseline) + drift_html(candidate);
}

}  // namespace plumbline
