#include "cli/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/device_table.h"
#include "cli/console.h"
#include "reports/devices/page.h"
#include "reports/devices/texts.h"
#include "reports/units.h"
#include "store/file.h"
#include "store/run_directory.h"

namespace plumbline {
namespace {

/// The last part of its path, by which people call a run.
std::string variant_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  return name.filename().string();
}

/// "12.4 µs [12.3, 12.5]".
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

std::string won_text(const DeviceCell& cell) {
  if (!cell.ratio) return "–";
  const std::string interval = ratio_interval_text(cell);
  return ratio_text(*cell.ratio) + (interval.empty() ? "" : " " + interval);
}

/// A line of the table: what is told of each variant, with a factor won where there is one.
void add_line(const DeviceTable& table, const DeviceRow& row, const std::string& name,
              std::string (*told)(const DeviceCell&, const std::string&), bool has_factor,
              Table& shown) {
  std::vector<Table::Cell> cells{{"  " + name}};
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    cells.push_back({told(row.cells[i], row.unit)});
    if (i != table.reference) cells.push_back({has_factor ? won_text(row.cells[i]) : ""});
  }
  shown.add(std::move(cells));
}

bool any_cell(const DeviceRow& row, std::optional<double> DeviceCell::*member) {
  for (const DeviceCell& cell : row.cells)
    if (cell.*member) return true;
  return false;
}

void add_row(const DeviceTable& table, const DeviceRow& row, bool is_first, Table& shown) {
  add_line(table, row, row.metric, value_text, true, shown);
  if (any_cell(row, &DeviceCell::flops_per_s))
    add_line(
        table, row, "  FLOP/s",
        [](const DeviceCell& cell, const std::string&) {
          return cell.flops_per_s ? quantity_text(*cell.flops_per_s, "FLOP/s") : "–";
        },
        false, shown);
  if (any_cell(row, &DeviceCell::bytes_per_s))
    add_line(
        table, row, "  bytes/s",
        [](const DeviceCell& cell, const std::string&) {
          return cell.bytes_per_s ? quantity_text(*cell.bytes_per_s, "B/s") : "–";
        },
        false, shown);
  if (is_first && any_cell(row, &DeviceCell::error))
    add_line(
        table, row, "error (relative L2)",
        [](const DeviceCell& cell, const std::string&) { return error_text(cell); }, false, shown);
}

Table empty_table(const DeviceTable& table) {
  std::vector<std::string> header{""};
  std::vector<bool> stands_right{false};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    header.push_back(table.columns[i].name);
    stands_right.push_back(true);
    if (i == table.reference) continue;
    header.push_back("won");
    stands_right.push_back(true);
  }
  return Table(header, stands_right);
}

/// A table for each case, since ids are longer than anything that stands under them.
std::string cases_text(const DeviceTable& table) {
  std::string text;
  for (auto row = table.rows.begin(); row != table.rows.end();) {
    const auto next = std::find_if(row, table.rows.end(), [&](const DeviceRow& other) {
      return other.case_id != row->case_id || other.suite != row->suite;
    });
    Table shown = empty_table(table);
    for (auto one = row; one != next; ++one) add_row(table, *one, one == row, shown);
    text += std::string(coloured(row->case_id, Colour::bold, 1)) + "\n" + shown.text() + "\n";
    row = next;
  }
  return text;
}

}  // namespace

std::string before_after(const std::vector<std::string>& inputs, const std::string& output,
                         const std::string& title) {
  const std::vector<Run> runs = read_runs(inputs);
  DeviceOptions options;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const std::string& warning : runs[i].warnings) print_note(warning);
    if (runs[i].info.finished_at.empty()) print_note(runs[i].path + " is not finished");
    options.variants.push_back(variant_name(inputs[i]));
  }
  const DeviceTable table = device_table(runs, options);
  if (!output.empty()) write_atomically(output, render_devices(table, title));
  std::string text = devices_sentence(table) + "\n";
  for (const std::string& caveat : devices_caveats(table)) text += caveat + "\n";
  text += "\n" + cases_text(table);
  for (const DeviceColumn& column : table.columns)
    for (const std::string& stack : stack_texts(column)) text += column.name + ": " + stack + "\n";
  for (const DeviceReason& one : device_reasons(table))
    text += fmt::format("{}, {} without a factor: {}\n", one.device,
                        counted(one.rows.size(), "case"), one.reason);
  return text;
}

}  // namespace plumbline
