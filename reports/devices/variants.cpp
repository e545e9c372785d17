#include "reports/devices/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reports/devices/accuracy_text.h"
#include "reports/devices/headline.h"
#include "reports/devices/texts.h"
#include "reports/markup.h"
#include "reports/units.h"

namespace plumbline {
namespace {

std::string rate_text(const std::optional<double>& rate, const char* unit) {
  return rate ? quantity_text(*rate, unit) : "–";
}

bool any_cell(const DeviceRow& row, std::optional<double> DeviceCell::*member) {
  return std::ranges::any_of(row.cells,
                             [&](const DeviceCell& cell) { return (cell.*member).has_value(); });
}

/// A line with a text for each variant, and its factor over the reference if there is one.
template <class Told>
std::vector<std::string> line_of(const DeviceTable& table, const DeviceRow& row,
                                 const std::string& name, bool has_factor, Told told) {
  std::vector<std::string> line{name};
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    line.push_back(told(row.cells[i]));
    if (i != table.reference) line.push_back(has_factor ? ratio_text(row.cells[i]) : "");
  }
  return line;
}

/// The slowest launches, behind the time.
void add_p99(const DeviceTable& table, const CaseStory& story, VariantCase& told) {
  if (std::ranges::none_of(story.variants,
                           [](const VariantStory& one) { return one.p99_s.has_value(); }))
    return;
  std::vector<std::string> line{"  p99 of launches"};
  for (std::size_t i = 0; i < story.variants.size(); ++i) {
    const auto& p99 = story.variants[i].p99_s;
    line.push_back(p99 ? quantity_text(*p99, "s") : "–");
    if (i != table.reference) line.emplace_back();
  }
  const auto time =
      std::ranges::find(told.lines, story.time, [](const auto& cells) { return cells.front(); });
  told.lines.insert(std::next(time), std::move(line));
}

void add_accuracy(const DeviceTable& table, const CaseStory& story, VariantCase& told) {
  if (!story.has_accuracy()) return;
  std::vector<std::string> line{"accuracy"}, visible{"  visible loss"};
  for (std::size_t i = 0; i < story.variants.size(); ++i) {
    const VariantAccuracy& one = story.variants[i].accuracy;
    line.push_back(accuracy_text(one));
    visible.emplace_back();
    if (i == table.reference) continue;
    line.push_back(difference_text(one));
    visible.push_back(visible_text(one));
  }
  told.lines.push_back(std::move(line));
  told.lines.push_back(std::move(visible));
}

void add_lines(const DeviceTable& table, const DeviceRow& row, VariantCase& told) {
  const bool is_first = told.lines.empty();
  told.lines.push_back(line_of(table, row, row.metric, true,
                               [&](const DeviceCell& cell) { return value_text(cell, row.unit); }));
  if (any_cell(row, &DeviceCell::flops_per_s))
    told.lines.push_back(line_of(table, row, "  FLOP/s", false, [](const DeviceCell& cell) {
      return rate_text(cell.flops_per_s, "FLOP/s");
    }));
  if (any_cell(row, &DeviceCell::bytes_per_s))
    told.lines.push_back(line_of(table, row, "  bytes/s", false, [](const DeviceCell& cell) {
      return rate_text(cell.bytes_per_s, "B/s");
    }));
  if (is_first && any_cell(row, &DeviceCell::error))
    told.lines.push_back(line_of(table, row, "error (relative L2)", false, error_text));
}

}  // namespace

std::string value_text(const DeviceCell& cell, const std::string& unit) {
  if (!cell.value) return "–";
  if (!cell.low) return quantity_text(*cell.value, unit);
  const double half = (*cell.high - *cell.low) / 2;
  const Scale scale = scale_for(unit, *cell.value);
  const int decimals = decimals_for(*cell.value * scale.factor, half * scale.factor);
  return fmt::format("{} [{}, {}]", quantity_text(*cell.value, unit, half),
                     number_text(*cell.low * scale.factor, decimals),
                     number_text(*cell.high * scale.factor, decimals));
}

std::vector<std::string> variants_header(const DeviceTable& table) {
  std::vector<std::string> header{""};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    header.push_back(table.columns[i].name);
    if (i != table.reference) header.emplace_back("won");
  }
  return header;
}

std::vector<VariantCase> variant_cases(const DeviceTable& table) {
  std::vector<VariantCase> cases;
  const DeviceRow* before = nullptr;
  for (const DeviceRow& row : table.rows) {
    if (!before || before->case_id != row.case_id || before->suite != row.suite) {
      if (before) add_accuracy(table, table.stories[cases.size() - 1], cases.back());
      cases.push_back({row.case_id, {}});
    }
    add_lines(table, row, cases.back());
    const CaseStory& story = table.stories[cases.size() - 1];
    if (row.metric == story.time) add_p99(table, story, cases.back());
    before = &row;
  }
  if (before) add_accuracy(table, table.stories.back(), cases.back());
  return cases;
}

std::string variants_markdown(const DeviceTable& table) {
  std::string text = "**" + markdown_escaped(devices_sentence(table)) + "**\n\n";
  for (const std::string& caveat : devices_caveats(table))
    text += "- " + markdown_escaped(caveat) + "\n";
  const auto add_line = [&](const std::vector<std::string>& line) {
    for (const std::string& cell : line) text += "| " + markdown_escaped(cell) + " ";
    text += "|\n";
  };
  const std::vector<std::string> header = variants_header(table);
  for (const VariantCase& one : variant_cases(table)) {
    text += "\n### " + markdown_escaped(one.case_id) + "\n\n";
    add_line(header);
    text += "|---|";
    for (std::size_t i = 1; i < header.size(); ++i) text += "--:|";
    text += "\n";
    for (const auto& line : one.lines) add_line(line);
  }
  return text + reasons_markdown(table);
}

}  // namespace plumbline
