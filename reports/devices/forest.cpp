#include "reports/devices/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/axis.h"
#include "reports/cells.h"
#include "reports/devices/charts.h"
#include "reports/devices/texts.h"
#include "reports/strip.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostAtAnEnd = 30;  // of the worst and of the best cases

/// A case of the pair whose ratio has an interval.
struct Shown {
  const DeviceRow* row;
  const DeviceCell* cell;
};

std::vector<Shown> sorted_cases(const DeviceTable& table) {
  std::vector<Shown> shown;
  for (const DeviceRow& row : table.rows)
    if (const DeviceCell& cell = row.cells[1 - table.reference]; row.is_common && cell.ratio_low)
      shown.push_back({&row, &cell});
  std::ranges::stable_sort(shown, {}, [](const Shown& one) { return *one.cell->ratio; });
  return shown;
}

Axis axis_of(const std::vector<Shown>& shown) {
  Axis axis{1, 1, 0, 1000, true};
  for (const Shown& one : shown) {
    axis.low = std::min(axis.low, *one.cell->ratio_low);
    axis.high = std::max(axis.high, *one.cell->ratio_high);
  }
  axis.low /= 1.01;
  axis.high *= 1.01;
  return axis;
}

/// Coloured if the interval excludes ×1.
PageData line_data(const Shown& one, const Axis& axis) {
  const DeviceCell& cell = *one.cell;
  const char* const tone = *cell.ratio_low > 1    ? "faster"
                           : *cell.ratio_high < 1 ? "slower"
                                                  : "base";
  PageData paths = PageData::array();
  paths.push_back(path_data("one", fmt::format("M{:.1f} 0v16", axis.at(1))));
  paths.push_back(path_data(
      std::string("reach ") + tone,
      fmt::format("M{:.1f} 8H{:.1f}", axis.at(*cell.ratio_low), axis.at(*cell.ratio_high))));
  paths.push_back(path_data(std::string("dots ") + tone, dots_path({{axis.at(*cell.ratio), 8}})));
  return {{"id", one.row->case_id},    {"suite", one.row->suite},
          {"metric", one.row->metric}, {"case", case_data(one.row->case_id)},
          {"paths", std::move(paths)}, {"ratio", ratio_text(cell)}};
}

}  // namespace

PageData forest_data(const DeviceTable& table) {
  if (table.columns.size() != 2) return nullptr;
  const std::vector<Shown> shown = sorted_cases(table);
  if (shown.empty()) return nullptr;
  const Axis axis = axis_of(shown);
  PageData lines = PageData::array();
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (i < kMostAtAnEnd || i + kMostAtAnEnd >= shown.size())
      lines.push_back(line_data(shown[i], axis));
  const bool is_cut = lines.size() < shown.size();
  const std::string about =
      fmt::format("The {} worst and best of {} values. ", kMostAtAnEnd, shown.size());
  return {{"about", is_cut ? about : ""},
          {"marks", marks_data(axis)},
          {"has_metrics",
           std::ranges::any_of(
               shown, [&](const Shown& one) { return one.row->metric != shown[0].row->metric; })},
          {"lines", std::move(lines)}};
}

}  // namespace plumbline
