#include "reports/devices/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "reports/cells.h"
#include "reports/devices/charts.h"
#include "reports/devices/texts.h"
#include "reports/page.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// A ratio of this much, or its inverse, has the full colour.
constexpr double kFullHeat = 4;

constexpr std::size_t kFirstRows = 200;   // that are laid out at once; the script shows the others
constexpr std::size_t kManyColumns = 12;  // from here on they are printed smaller
constexpr std::size_t kMostNamed = 20;    // cases of one reason; a filter finds the others

/// Their names in alphabetical order.
std::string names_text(const DeviceTable& table, std::string DeviceRow::*member) {
  std::set<std::string_view> names;
  for (const DeviceRow& row : table.rows) names.insert(row.*member);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string ratio_or_dash(const std::optional<double>& ratio) {
  return ratio ? ratio_text(*ratio) : "–";
}

PageData model_data(const DeviceTable& table, std::size_t i) {
  const DeviceSummary& one = table.summaries[i];
  const bool is_reference = i == table.reference;
  const auto told = [&](const std::optional<double>& ratio) {
    return is_reference ? "" : ratio_or_dash(ratio);
  };
  std::vector<std::string> stack = stack_texts(table.columns[i]);
  if (is_reference) stack.clear();
  if (stack.empty()) stack.emplace_back(is_reference ? "" : "none recorded");
  return {{"name", table.columns[i].name},
          {"mean", is_reference ? "reference" : ratio_or_dash(one.mean_ratio)},
          {"least", told(one.least_ratio)},
          {"median", told(one.median_ratio)},
          {"greatest", told(one.greatest_ratio)},
          {"cases", one.cases},
          {"without", one.refused + one.absent},
          {"price", ratio_or_dash(one.price_ratio)},
          {"first", stack.front()},
          {"others", std::vector(stack.begin() + 1, stack.end())}};
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

/// Which way, and how strong: 0 at ×1, 1 from kFullHeat on.
PageData heat_data(double ratio) {
  const double strength = std::min(1.0, std::abs(std::log(ratio)) / std::log(kFullHeat));
  return {{"way", ratio >= 1 ? "up" : "down"}, {"strength", fmt::format("{:.2f}", strength)}};
}

/// What stands below a cell's value and ratio.
std::vector<std::string> notes_of(const DeviceTable& table, const DeviceRow& row,
                                  const DeviceCell& cell) {
  if (!cell.value) return {};
  std::vector<std::string> notes{ratio_interval_text(cell)};
  if (table.are_variants && cell.flops_per_s)
    notes.push_back(quantity_text(*cell.flops_per_s, "FLOP/s"));
  else if (table.are_variants && cell.bytes_per_s)
    notes.push_back(quantity_text(*cell.bytes_per_s, "B/s"));
  if (table.are_variants && cell.error && row.unit == "s")
    notes.push_back("error " + error_text(cell));
  if (cell.share) notes.push_back(share_text(*cell.share) + " of peak");
  if (cell.price) notes.push_back(fmt::format("{:.3g} a million", *cell.price));
  if (cell.energy) notes.push_back(quantity_text(*cell.energy, "J"));
  std::erase(notes, "");
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
                    : cell.ratio                ? ratio_text(*cell.ratio)
                                                : "no ratio"},
          {"notes", notes_of(table, row, cell)}};
}

PageData row_data(const DeviceTable& table, const DeviceRow& row) {
  PageData cells = PageData::array();
  for (std::size_t i = 0; i < row.cells.size(); ++i) cells.push_back(cell_data(table, i, row));
  return {{"id", row.case_id},
          {"suite", row.suite},
          {"metric", row.metric},
          {"case", case_data(row.case_id)},
          {"cells", std::move(cells)}};
}

/// The table of all cases; those that the script shows later are `left`.
void add_rows(const DeviceTable& table, PageData& data) {
  PageData columns = PageData::array(), rows = PageData::array(), left = PageData::array();
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    columns.push_back({{"name", table.columns[i].name}, {"is_reference", i == table.reference}});
  for (const DeviceRow& row : table.rows)
    (rows.size() < kFirstRows ? rows : left).push_back(row_data(table, row));
  // Of a single metric the first line of the page says the name.
  data["has_metrics"] = std::ranges::any_of(
      table.rows, [&](const DeviceRow& row) { return row.metric != table.rows.front().metric; });
  data["has_many"] = table.columns.size() > kManyColumns;
  data["columns"] = std::move(columns);
  data["rows"] = std::move(rows);
  data["left"] = nullptr;
  if (!left.empty()) data["left"] = {{"first", kFirstRows}, {"rows", std::move(left)}};
}

/// Null where every cell has a ratio.
PageData reasons_data(const DeviceTable& table) {
  PageData list = PageData::array();
  for (const DeviceReason& one : device_reasons(table)) {
    PageData cases = PageData::array();
    for (const DeviceRow* row : one.rows | std::views::take(kMostNamed)) {
      cases.push_back(case_data(row->case_id));
      cases.back()["metric"] = row->metric;
    }
    const std::string query = "without:\"" + one.device + '"';
    list.push_back({{"device", one.device},
                    {"reason", one.reason},
                    {"count", one.rows.size()},
                    {"more", more_data(cases.size(), one.rows.size(), query)},
                    {"cases", std::move(cases)}});
  }
  return list.empty() ? PageData() : PageData{{"list", std::move(list)}};
}

std::string title_of(const DeviceTable& table) {
  return (table.are_variants ? "Variants beside " : "Devices beside ") +
         table.columns[table.reference].name + " · Plumbline";
}

}  // namespace

std::string render_devices(const DeviceTable& table, const std::string& title) {
  PageData models = PageData::array();
  for (std::size_t i = 0; i < table.columns.size(); ++i) models.push_back(model_data(table, i));
  const std::string& device = table.columns.front().run->info.environment.device_class;
  PageData data{{"count", table.columns.size()},
                {"column_word", column_word(table)},
                {"of_device", table.are_variants ? device : ""},
                {"reference", table.columns[table.reference].name},
                {"cases", table.rows.size()},
                {"suites", names_text(table, &DeviceRow::suite)},
                {"metrics", names_text(table, &DeviceRow::metric)},
                {"sentence", devices_sentence(table)},
                {"caveats", devices_caveats(table)},
                {"ratios", ratios_data(table)},
                {"is_priced", std::ranges::any_of(table.summaries,
                                                  [](const DeviceSummary& one) {
                                                    return one.price_ratio.has_value();
                                                  })},
                {"models", std::move(models)},
                {"rooflines", rooflines_data(table)},
                {"reasons", reasons_data(table)}};
  add_rows(table, data);
  return self_contained_page(title.empty() ? title_of(table) : title, devices_assets(),
                             rendered("devices/page", data));
}

}  // namespace plumbline
