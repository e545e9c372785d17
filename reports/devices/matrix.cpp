#include "reports/devices/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "reports/cells.h"
#include "reports/devices/texts.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// A ratio of this size, or its inverse, has the full colour.
constexpr double kFullHeat = 4;

constexpr std::size_t kFirstRows = 200;   // rows in the page without scripts
constexpr std::size_t kManyColumns = 12;  // from this number on, columns are printed smaller
constexpr std::size_t kCaseLines = 2;     // lines that a case id takes at least

/// The tooltip of a cell.
std::string cell_title(const DeviceColumn& column, const DeviceRow& row, const DeviceCell& cell) {
  if (!cell.value) return cell.reason;  // most cells of a wide table: without the column's name
  std::string text = column.name + ": " + quantity_text(*cell.value, row.unit);
  if (cell.low)
    text += fmt::format(" [{}, {}]", quantity_text(*cell.low, row.unit),
                        quantity_text(*cell.high, row.unit));
  if (cell.ratio_low) text += "; " + ratio_text(cell);
  if (cell.flops_per_s) text += "; " + quantity_text(*cell.flops_per_s, "FLOP/s");
  if (cell.bytes_per_s) text += "; " + quantity_text(*cell.bytes_per_s, "B/s");
  if (cell.visits < 2) text += "; one visit, no interval";
  if (!cell.reason.empty()) text += "; " + cell.reason;
  return text;
}

/// Direction and strength: 0 at ×1, 1 from kFullHeat on.
PageData heat_data(double ratio) {
  const double strength = std::min(1.0, std::abs(std::log(ratio)) / std::log(kFullHeat));
  return {{"way", ratio >= 1 ? "up" : "down"}, {"strength", fmt::format("{:.2f}", strength)}};
}

/// The lines below a cell's ratio.
std::vector<std::string> notes_of(const DeviceTable& table, const DeviceRow& row,
                                  const DeviceCell& cell) {
  if (!cell.value) return {};
  std::vector<std::string> notes;
  if (table.are_variants && cell.flops_per_s)
    notes.push_back(quantity_text(*cell.flops_per_s, "FLOP/s"));
  else if (table.are_variants && cell.bytes_per_s)
    notes.push_back(quantity_text(*cell.bytes_per_s, "B/s"));
  if (table.are_variants && cell.error && row.unit == "s")
    notes.push_back("error " + error_text(cell));
  if (cell.share) notes.push_back(share_text(*cell.share) + " of peak");
  if (cell.price) notes.push_back(price_text(table, *cell.price) + "/M");
  if (cell.energy) notes.push_back(quantity_text(*cell.energy, "J"));
  return notes;
}

PageData cell_data(const DeviceTable& table, std::size_t i, const DeviceRow& row) {
  const DeviceCell& cell = row.cells[i];
  const bool is_reference = i == table.reference, is_rated = cell.ratio && !is_reference;
  const double key = is_rated ? *cell.ratio : cell.value.value_or(kUnknown);
  return {{"heat", is_rated ? heat_data(*cell.ratio) : PageData()},
          {"key", std::isnan(key) ? "" : fmt::format("{:.6g}", key)},
          {"is_bare", !is_reference && !cell.ratio && cell.value},
          {"title", cell_title(table.columns[i], row, cell)},
          {"value", cell.value ? quantity_text(*cell.value, row.unit) : "–"},
          {"ratio", !cell.value || is_reference ? ""
                    : cell.ratio                ? ratio_text(cell)
                                                : "no ratio"},
          {"notes", notes_of(table, row, cell)}};
}

/// What all cases have in common; rows leave it out.
PageData common_case(const DeviceTable& table) {
  PageData common = case_data(table.rows.front().case_id);
  for (const DeviceRow& row : table.rows) {
    const PageData own = case_data(row.case_id);
    if (own["name"] != common["name"]) common["name"] = "";
    if (own["backend"] != common["backend"]) common["backend"] = "";
    PageData& params = common["params"];
    params.erase(std::remove_if(params.begin(), params.end(),
                                [&](const PageData& param) {
                                  return std::ranges::find(own["params"], param) ==
                                         own["params"].end();
                                }),
                 params.end());
  }
  return common;
}

/// A case without the common parts; the whole case if nothing else would remain.
PageData short_case(const std::string& id, const PageData& common) {
  PageData own = case_data(id), params = PageData::array();
  const PageData whole = own;
  for (const char* const part : {"name", "backend"})
    if (own[part] == common[part]) own[part] = "";
  for (const PageData& param : own["params"])
    if (std::ranges::find(common["params"], param) == common["params"].end())
      params.push_back(param);
  own["params"] = std::move(params);
  return own["name"] == "" && own["backend"] == "" && own["params"].empty() ? whole : own;
}

PageData row_data(const DeviceTable& table, const DeviceRow& row,
                  const std::vector<std::size_t>& order, const PageData& common) {
  PageData cells = PageData::array();
  for (const std::size_t i : order) cells.push_back(cell_data(table, i, row));
  return {{"id", row.case_id},
          {"suite", row.suite},
          {"metric", row.metric},
          {"case", short_case(row.case_id, common)},
          {"is_apart", !row.is_summed_up},
          {"cells", std::move(cells)}};
}

/// All rows are as high as the one with the most lines, so that the script knows their positions.
std::size_t lines_of(const PageData& rows) {
  std::size_t most = kCaseLines;
  for (const PageData& row : rows)
    for (const PageData& cell : row["cells"])
      most = std::max(most, cell["notes"].size() + (cell["ratio"] == "" ? 1 : 2));
  return most;
}

/// Length of the longest line of a cell, so that column widths do not depend on the visible rows.
std::size_t chars_of(const PageData& rows) {
  std::size_t most = 8;
  const auto hold = [&](const PageData& line) {
    const auto& text = line.get_ref<const std::string&>();
    most = std::max(most, std::size_t(std::ranges::count_if(text, [](char c) {
                      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
                    })));
  };
  for (const PageData& row : rows)
    for (const PageData& cell : row["cells"]) {
      hold(cell["value"]);
      hold(cell["ratio"]);
      for (const PageData& note : cell["notes"]) hold(note);
    }
  return most;
}

}  // namespace

PageData matrix_data(const DeviceTable& table, const std::vector<std::size_t>& order) {
  const PageData common = common_case(table);
  PageData columns = PageData::array(), rows = PageData::array(), left = PageData::array();
  for (const std::size_t i : order)
    columns.push_back(
        {{"column", i}, {"name", table.columns[i].name}, {"is_reference", i == table.reference}});
  for (const DeviceRow& row : table.rows) rows.push_back(row_data(table, row, order, common));
  PageData data{{"lines", lines_of(rows)}, {"chars", chars_of(rows)}};
  if (rows.size() > kFirstRows) {
    left = PageData(rows.begin() + kFirstRows, rows.end());
    rows.erase(rows.begin() + kFirstRows, rows.end());
  }
  const bool has_common =
      common["name"] != "" || common["backend"] != "" || !common["params"].empty();
  data["common"] = has_common && table.rows.size() > 1 ? common : PageData();
  // With a single metric, the first line of the page names it.
  data["has_metrics"] = std::ranges::any_of(
      table.rows, [&](const DeviceRow& row) { return row.metric != table.rows.front().metric; });
  data["has_many"] = table.columns.size() > kManyColumns;
  data["columns"] = std::move(columns);
  data["rows"] = std::move(rows);
  data["left"] = nullptr;
  if (!left.empty()) data["left"] = {{"first", kFirstRows}, {"rows", std::move(left)}};
  return data;
}

}  // namespace plumbline
