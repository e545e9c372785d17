#include "reports/devices/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "core/words.h"
#include "reports/cells.h"
#include "reports/devices/charts.h"
#include "reports/devices/forest.h"
#include "reports/devices/headline.h"
#include "reports/devices/matrix.h"
#include "reports/devices/multiples.h"
#include "reports/devices/prices.h"
#include "reports/devices/story.h"
#include "reports/devices/texts.h"
#include "reports/page.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostNamed = 20;  // cases of one reason; a filter finds the others

/// The names in alphabetical order; only their number if there are many.
std::string names_text(const DeviceTable& table, std::string DeviceRow::*member,
                       std::string_view word) {
  constexpr std::size_t kMost = 6;
  std::set<std::string_view> names;
  for (const DeviceRow& row : table.rows) names.insert(row.*member);
  return names.size() > kMost ? counted(names.size(), word)
                              : fmt::format("{}", fmt::join(names, ", "));
}

/// Null if every cell has a ratio.
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

/// Differences between the software stacks, each with its columns; null for none.
PageData stacks_data(const DeviceTable& table) {
  std::map<std::string, std::vector<std::string_view>> names;
  for (const DeviceColumn& column : table.columns)
    for (const std::string& what : stack_texts(column)) names[what].push_back(column.name);
  PageData list = PageData::array();
  for (const auto& [what, columns] : names)
    list.push_back({{"what", what}, {"names", fmt::format("{}", fmt::join(columns, ", "))}});
  return list.empty() ? PageData() : PageData{{"list", std::move(list)}};
}

std::string window_title(const DeviceTable& table) {
  return (table.are_variants ? "Variants beside " : "Devices beside ") +
         table.columns[table.reference].name + " · Plumbline";
}

}  // namespace

std::string render_devices(const DeviceTable& table, const std::string& title) {
  const std::vector<std::size_t> order = fastest_first(table);
  const std::vector<std::string> doubts = devices_doubts(table);
  const std::string& device = table.columns.front().run->info.environment.device_class;
  const PageData data{
      {"count", table.columns.size()},
      {"column_word", column_word(table)},
      {"of_device", table.are_variants ? device : ""},
      {"reference", table.columns[table.reference].name},
      {"cases", table.rows.size()},
      {"rows_text", counted(table.rows.size(), "row")},
      {"suites", names_text(table, &DeviceRow::suite, "suite")},
      {"metrics", names_text(table, &DeviceRow::metric, "metric")},
      {"sentence", devices_sentence(table)},
      {"notes", devices_notes(table)},
      {"doubts", doubts.empty() ? PageData() : PageData{{"list", doubts}}},
      {"price_note", price_note(table)},
      {"title", table.common == 0 ? "No case in common"
                                  : fmt::format("Over {} in common", common_words(table))},
      {"story", story_data(table)},
      {"steps", steps_data(table)},
      {"models", models_data(table, order)},
      {"forest", forest_data(table)},
      {"prices", prices_data(table, order)},
      {"multiples", multiples_data(table, order)},
      {"matrix", matrix_data(table, order)},
      {"rooflines", rooflines_data(table)},
      {"stacks", stacks_data(table)},
      {"reasons", reasons_data(table)}};
  return self_contained_page(title.empty() ? window_title(table) : title, devices_assets(),
                             rendered("devices/page", data));
}

}  // namespace plumbline
