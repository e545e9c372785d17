#include "reports/devices/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "core/words.h"
#include "reports/devices/headline.h"
#include "reports/markup.h"
#include "reports/units.h"

namespace plumbline {
namespace {

std::string quoted_or_unknown(const std::string& text) { return text.empty() ? "unknown" : text; }

std::string value_and_ratio(const DeviceCell& cell, const DeviceRow& row, bool is_reference) {
  if (!cell.value) return "–";
  std::string text = markdown_escaped(quantity_text(*cell.value, row.unit));
  if (!is_reference) text += " " + (cell.ratio ? "**" + ratio_text(*cell.ratio) + "**" : "–");
  if (cell.share) text += " " + share_text(*cell.share);
  return text;
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

std::string ratio_or_dash(const std::optional<double>& ratio) {
  return ratio ? ratio_text(*ratio) : "–";
}

std::string ratio_text(const DeviceCell& cell) {
  return cell.ratio ? ratio_text(*cell.ratio, cell.ratio_low, cell.ratio_high) : "–";
}

std::string mean_text(const DeviceTable& table, std::size_t column) {
  const DeviceSummary& one = table.summaries[column];
  if (column == table.reference) return "reference";
  return one.mean_ratio ? ratio_text(*one.mean_ratio, one.mean_low, one.mean_high) : "–";
}

std::string price_text(const DeviceTable& table, double price) {
  return quantity_text(price, table.currency);
}

std::vector<std::size_t> fastest_first(const DeviceTable& table) {
  std::vector<std::size_t> order(table.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) {
    return table.summaries[i].mean_ratio.value_or(0);
  });
  return order;
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
                        counted(one.rows.size(), "row"), markdown_escaped(one.reason));
  return text;
}

std::string devices_markdown(const DeviceTable& table) {
  std::string text = "**" + markdown_escaped(devices_sentence(table)) + "**\n\n";
  for (const std::string& caveat : devices_caveats(table))
    text += "- " + markdown_escaped(caveat) + "\n";
  text += fmt::format("\n| {} |", column_word(table)) +
          " × | cases | least | greatest | stack that differs |\n|---|--:|--:|--:|--:|---|\n";
  for (const std::size_t i : fastest_first(table)) {
    const DeviceSummary& summary = table.summaries[i];
    std::string stack;
    for (const std::string& one : stack_texts(table.columns[i]))
      stack += (stack.empty() ? "" : "; ") + one;
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", markdown_escaped(table.columns[i].name),
        markdown_escaped(mean_text(table, i)), summary.cases, ratio_or_dash(summary.least_ratio),
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
