#include "reports/devices/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/markup.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// A row of the table is one metric of a case.
std::string counted_cases(std::size_t count) {
  return fmt::format("{} {} × metric", count, count == 1 ? "case" : "cases");
}

std::string quoted_or_unknown(const std::string& text) { return text.empty() ? "unknown" : text; }

std::string ratio_or_dash(const std::optional<double>& ratio) {
  return ratio ? ratio_text(*ratio) : "–";
}

std::string value_and_ratio(const DeviceCell& cell, const DeviceRow& row, bool is_reference) {
  if (!cell.value) return "–";
  std::string text = markdown_escaped(quantity_text(*cell.value, row.unit));
  if (!is_reference) text += " " + (cell.ratio ? "**" + ratio_text(*cell.ratio) + "**" : "–");
  if (cell.share) text += " " + share_text(*cell.share);
  return text;
}

std::string intervals_caveat(const DeviceTable& table) {
  const std::string& first = table.columns.front().run->path;
  if (std::ranges::all_of(table.columns,
                          [&](const DeviceColumn& column) { return column.run->path == first; }))
    return "Intervals (99 %) are over visits of one run, in which all of them were measured.";
  return "Intervals (99 %) are over visits of these runs; what whole runs" +
         std::string(table.are_variants ? "" : " and devices of one model") +
         " differ by comes on top.";
}

}  // namespace

std::string_view column_word(const DeviceTable& table) {
  return table.are_variants ? "variant" : "device";
}

std::string error_text(const DeviceCell& cell) {
  if (!cell.error) return "–";
  if (!cell.tolerance) return fmt::format("{:.2g}", *cell.error);
  return fmt::format("{:.2g} of {:.2g}", *cell.error, *cell.tolerance);
}

std::string ratio_interval_text(const DeviceCell& cell) {
  if (!cell.ratio_low) return "";
  return fmt::format("[{}, {}]", ratio_text(*cell.ratio_low), ratio_text(*cell.ratio_high));
}

std::string devices_sentence(const DeviceTable& table) {
  const std::string& reference = table.columns[table.reference].name;
  std::optional<std::size_t> best, worst;
  for (std::size_t i = 0; i < table.summaries.size(); ++i) {
    const auto& mean = table.summaries[i].mean_ratio;
    if (i == table.reference || !mean) continue;
    if (!best || *mean > *table.summaries[*best].mean_ratio) best = i;
    if (!worst || *mean < *table.summaries[*worst].mean_ratio) worst = i;
  }
  if (!best) return "Nothing can be set beside " + reference + ".";
  const auto words = [&](std::size_t i) {
    return fmt::format("{} {} over {}", table.columns[i].name,
                       ratio_text(*table.summaries[i].mean_ratio),
                       counted_cases(table.summaries[i].cases));
  };
  std::string text = fmt::format("Beside {}: {}", reference, words(*best));
  if (*worst != *best) text += "; " + words(*worst);
  return text + ".";
}

std::vector<std::string> devices_caveats(const DeviceTable& table) {
  std::vector<std::string> texts{
      fmt::format("× is how many times as good as the reference: ×2 is half the time (memory, "
                  "energy). A {}'s × is the geometric mean over the times that both have.",
                  column_word(table))};
  std::size_t single = 0, all = 0, calibrated = 0;
  for (const DeviceRow& row : table.rows)
    for (const DeviceCell& cell : row.cells)
      if (cell.value) ++all, single += cell.visits < 2 ? 1 : 0;
  for (const DeviceColumn& column : table.columns) calibrated += column.is_calibrated ? 1 : 0;
  if (single > 0)
    texts.push_back(fmt::format(
        "{} of {} values are of one visit: they have no interval, and what they vary by is not "
        "known.",
        single, all));
  if (single < all) texts.push_back(intervals_caveat(table));
  if (calibrated < table.columns.size())
    texts.push_back(fmt::format("{} of {} {}s were not calibrated: no share of {} peak is known.",
                                table.columns.size() - calibrated, table.columns.size(),
                                column_word(table), table.are_variants ? "the device's" : "their"));
  if (!table.unmeasured.empty()) texts.push_back(table.unmeasured);
  return texts;
}

std::vector<DeviceReason> device_reasons(const DeviceTable& table) {
  std::vector<DeviceReason> reasons;
  std::map<std::pair<std::size_t, std::string>, std::size_t> places;
  for (const DeviceRow& row : table.rows)
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::string& reason = row.cells[i].reason;
      if (reason.empty()) continue;
      const auto [place, is_new] = places.try_emplace({i, reason}, reasons.size());
      if (is_new) reasons.push_back({table.columns[i].name, reason, {}});
      reasons[place->second].rows.push_back(&row);
    }
  return reasons;
}

std::vector<std::string> stack_texts(const DeviceColumn& column) {
  std::vector<std::string> texts;
  for (const EnvironmentChange& change : column.stack)
    texts.push_back(fmt::format("{} {}, the reference {}", change.label,
                                quoted_or_unknown(change.candidate),
                                quoted_or_unknown(change.baseline)));
  return texts;
}

std::string reasons_markdown(const DeviceTable& table) {
  const std::vector<DeviceReason> reasons = device_reasons(table);
  std::string text = reasons.empty() ? "" : "\nWithout a ratio:\n\n";
  for (const DeviceReason& one : reasons)
    text += fmt::format("- {}, {}: {}\n", markdown_escaped(one.device),
                        counted_cases(one.rows.size()), markdown_escaped(one.reason));
  return text;
}

std::string devices_markdown(const DeviceTable& table) {
  std::string text = "**" + markdown_escaped(devices_sentence(table)) + "**\n\n";
  for (const std::string& caveat : devices_caveats(table))
    text += "- " + markdown_escaped(caveat) + "\n";
  text += fmt::format("\n| {} |", column_word(table)) +
          " × | cases | least | greatest | stack that differs |\n|---|--:|--:|--:|--:|---|\n";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const DeviceSummary& summary = table.summaries[i];
    std::string stack;
    for (const std::string& one : stack_texts(table.columns[i]))
      stack += (stack.empty() ? "" : "; ") + one;
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_escaped(table.columns[i].name),
                    i == table.reference ? "reference" : ratio_or_dash(summary.mean_ratio),
                    summary.cases, ratio_or_dash(summary.least_ratio),
                    ratio_or_dash(summary.greatest_ratio), markdown_escaped(stack));
  }
  text += "\n| case | metric |";
  std::string line = "|---|---|";
  for (const DeviceColumn& column : table.columns) {
    text += " " + markdown_escaped(column.name) + " |";
    line += "--:|";
  }
  text += "\n" + line + "\n";
  for (const DeviceRow& row : table.rows) {
    text += "| " + markdown_escaped(row.case_id) + " | " + markdown_escaped(row.metric) + " |";
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      text += " " + value_and_ratio(row.cells[i], row, i == table.reference) + " |";
    text += "\n";
  }
  return text + reasons_markdown(table);
}

}  // namespace plumbline
