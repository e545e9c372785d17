#include "reports/devices/multiples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/natural_order.h"
#include "reports/axis.h"
#include "reports/cells.h"
#include "reports/devices/charts.h"
#include "reports/strip.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr double kWidth = 200, kHeight = 96, kMargin = 8;

struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    return in_natural_order(a, b);
  }
};

/// Values of each parameter in the common rows, with the rows that have them.
using Rows = std::vector<const DeviceRow*>;
using Values = std::map<std::string, Rows, NaturalOrder>;

std::map<std::string, Values> axes_of(const DeviceTable& table) {
  std::map<std::string, Values> axes;
  for (const DeviceRow& row : table.rows)
    if (row.is_common)
      for (const auto& [key, value] : name_of_case(row.case_id).params)
        axes[key][value].push_back(&row);
  std::erase_if(axes, [](const auto& axis) { return axis.second.size() < 2; });
  return axes;
}

/// The axis with the most values; the first by name if several have as many.
const std::string& widest(const std::map<std::string, Values>& axes) {
  return std::ranges::max_element(axes, {}, [](const auto& axis) { return axis.second.size(); })
      ->first;
}

/// Evenly spaced values: a stroke from the least to the greatest ratio; a line through the means.
PageData panel_data(const DeviceTable& table, std::size_t column, const std::string& name,
                    const Values& values) {
  const Axis up = ratio_axis(table, kHeight, 0);
  const Axis across{0, double(values.size() - 1), kMargin, kWidth - kMargin, false};
  std::string spread, line, first, last;
  double place = 0;
  for (const auto& [value, rows] : values) {
    std::vector<double> logs;
    for (const DeviceRow* row : rows) logs.push_back(std::log(*row->cells[column].ratio));
    const double x = across.at(place++);
    last = ratio_text(std::exp(mean(logs)));
    if (first.empty()) first = last;
    spread += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, up.at(std::exp(std::ranges::min(logs))),
                          up.at(std::exp(std::ranges::max(logs))));
    line +=
        fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x, up.at(std::exp(mean(logs))));
  }
  PageData paths = PageData::array();
  paths.push_back(path_data("one", fmt::format("M0 {:.1f}H{}", up.at(1), kWidth)));
  paths.push_back(path_data("spread", spread));
  paths.push_back(path_data("line", line));
  return {{"column", column},
          {"name", table.columns[column].name},
          {"label", table.columns[column].name + " by " + name},
          {"ends", first + " to " + last},
          {"paths", std::move(paths)}};
}

}  // namespace

PageData multiples_data(const DeviceTable& table, const std::vector<std::size_t>& order) {
  const std::map<std::string, Values> axes = axes_of(table);
  if (axes.empty()) return nullptr;
  const std::string& chosen = widest(axes);
  const Values& values = axes.at(chosen);
  PageData names = PageData::array(), panels = PageData::array();
  for (const auto& [name, held] : axes)
    names.push_back({{"name", name}, {"is_chosen", name == chosen}});
  for (const std::size_t i : order)
    if (i != table.reference && table.summaries[i].is_compared)
      panels.push_back(panel_data(table, i, chosen, values));
  const Axis up = ratio_axis(table, 0, 1);
  return {{"axis", chosen},
          {"low", ratio_text(up.low)},
          {"high", ratio_text(up.high)},
          {"axes", std::move(names)},
          {"ends", fmt::format("{} to {}", values.begin()->first, values.rbegin()->first)},
          {"panels", std::move(panels)}};
}

}  // namespace plumbline
