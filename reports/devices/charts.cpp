#include "reports/devices/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/estimate/achieved.h"
#include "reports/axis.h"
#include "reports/cells.h"
#include "reports/strip.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostMarks = 9;  // beside an axis

std::string dots(const std::vector<std::pair<double, double>>& points) {
  std::string path;
  for (const auto& [x, y] : points) path += fmt::format("M{:.1f} {:.1f}h0", x, y);
  return path;
}

PageData ratio_line(const DeviceTable& table, std::size_t column, const Axis& axis,
                    const std::vector<double>& marks) {
  const DeviceSummary& summary = table.summaries[column];
  std::vector<std::pair<double, double>> points;
  for (const DeviceRow& row : table.rows)
    if (const auto& ratio = row.cells[column].ratio; ratio && is_summed_up(table, row)) {
      // A fixed scatter across the line, so that equal ratios do not hide each other.
      const double y = 5 + double(points.size() * 7 % 15);
      points.emplace_back(axis.at(*ratio), y);
    }
  std::string grid;
  for (const double mark : marks) grid += fmt::format("M{:.1f} 0v24", axis.at(mark));
  PageData paths = PageData::array();
  paths.push_back(path_data("grid", grid));
  paths.push_back(path_data("one", fmt::format("M{:.1f} 0v24", axis.at(1))));
  const bool is_reference = column == table.reference;
  if (!is_reference && summary.mean_ratio) {
    paths.push_back(
        path_data(*summary.mean_ratio >= 1 ? "dots faster" : "dots slower", dots(points)));
    paths.push_back(path_data("mean", fmt::format("M{:.1f} 1v22", axis.at(*summary.mean_ratio))));
  }
  return {{"name", table.columns[column].name},
          {"paths", std::move(paths)},
          {"mean", is_reference         ? "reference"
                   : summary.mean_ratio ? ratio_text(*summary.mean_ratio)
                                        : "–"}};
}

/// A case on a device's roofline.
struct RooflinePoint {
  double intensity, flops_per_s, roof;
  const DeviceRow* row;
  const DeviceCell* cell;
};

struct Roofline {
  const DeviceColumn* column;
  double bytes_per_s;
  std::map<std::string, double> ceilings;  // calibrated product rates of the dtypes of the points
  std::vector<RooflinePoint> points;

  double highest() const {
    double most = kUnknown;
    for (const auto& [dtype, rate] : ceilings) most = most >= rate ? most : rate;
    return most;
  }
};

/// Its own roof and not the device's highest: a product of float32 is not held against bfloat16.
Roofline roofline_of(const DeviceTable& table, std::size_t column) {
  const DeviceColumn& device = table.columns[column];
  const RunInfo& info = device.run->info;
  Roofline made{&device, calibrated(info, "copy_bytes_per_s").value, {}, {}};
  if (!(made.bytes_per_s > 0)) return made;
  for (const DeviceRow& row : table.rows) {
    const DeviceCell& cell = row.cells[column];
    if (!(cell.flops_per_s > 0.0) || !(cell.bytes_per_s > 0.0) || !(cell.flops_peak > 0.0))
      continue;
    made.ceilings[cell.flops_dtype] = *cell.flops_peak;
    // Its own and not the row's: variants may be of several dtypes.
    const double intensity = *cell.flops_per_s / *cell.bytes_per_s;
    made.points.push_back({intensity, *cell.flops_per_s,
                           std::min(*cell.flops_peak, intensity * made.bytes_per_s), &row, &cell});
  }
  return made;
}

PageData points_data(const Roofline& one) {
  PageData points = PageData::array();
  for (const RooflinePoint& point : one.points)
    points.push_back({{"case", case_data(point.row->case_id)},
                      {"metric", point.row->metric},
                      {"intensity", number_text(point.intensity, 2)},
                      {"rate", quantity_text(point.flops_per_s, "FLOP/s")},
                      {"roof", quantity_text(point.roof, "FLOP/s")},
                      {"share", point.cell->share ? share_text(*point.cell->share) : "–"}});
  return points;
}

/// All devices on the same axes.
struct RooflineAxes {
  Axis x{1e300, 0, 0, 320, true}, y{1e300, 0, 200, 0, true};
};

RooflineAxes axes_of(const std::vector<Roofline>& all) {
  RooflineAxes axes;
  const auto widen = [](Axis& axis, double value) {
    axis.low = std::min(axis.low, value);
    axis.high = std::max(axis.high, value);
  };
  for (const Roofline& one : all) {
    for (const auto& [dtype, rate] : one.ceilings) {
      widen(axes.x, rate / one.bytes_per_s);
      widen(axes.y, rate);
    }
    for (const RooflinePoint& point : one.points) {
      widen(axes.x, point.intensity);
      widen(axes.y, point.flops_per_s);
    }
  }
  for (Axis* axis : {&axes.x, &axes.y}) {
    axis->low = std::pow(10, std::floor(std::log10(axis->low)));
    axis->high = std::pow(10, std::ceil(std::log10(axis->high * 1.01)));
  }
  return axes;
}

/// The slope of the bandwidth, and from it to the right a ceiling for each dtype.
std::string roof_path(const Roofline& one, const RooflineAxes& axes) {
  const double start = std::max(axes.x.low * one.bytes_per_s, axes.y.low);
  std::string path = fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", axes.x.at(start / one.bytes_per_s),
                                 axes.y.at(start), axes.x.at(one.highest() / one.bytes_per_s),
                                 axes.y.at(one.highest()));
  for (const auto& [dtype, rate] : one.ceilings)
    path += fmt::format("M{:.1f} {:.1f}H{}", axes.x.at(rate / one.bytes_per_s), axes.y.at(rate),
                        axes.x.to);
  return path;
}

PageData roofline_data(const Roofline& one, const RooflineAxes& axes) {
  std::vector<std::pair<double, double>> points;
  for (const RooflinePoint& point : one.points)
    points.emplace_back(axes.x.at(point.intensity), axes.y.at(point.flops_per_s));
  std::string grid, ceilings;
  for (const double mark : axes.x.ticks(kMostMarks))
    grid += fmt::format("M{:.1f} 0V{}", axes.x.at(mark), axes.y.from);
  for (const auto& [dtype, rate] : one.ceilings)
    ceilings += ", " + dtype + " " + quantity_text(rate, "FLOP/s");
  PageData paths = PageData::array();
  paths.push_back(path_data("grid", grid));
  paths.push_back(path_data("limit", roof_path(one, axes)));
  paths.push_back(path_data("dots faster", dots(points)));
  return {{"device", one.column->name},
          {"count", one.points.size()},
          {"paths", std::move(paths)},
          {"limits", fmt::format("{:g} to {:g} FLOP/byte; up to {}{}", axes.x.low, axes.x.high,
                                 quantity_text(one.bytes_per_s, "B/s"), ceilings)},
          {"points", points_data(one)}};
}

}  // namespace

PageData ratios_data(const DeviceTable& table) {
  Axis axis{1, 1, 0, 1000, true};
  for (const DeviceSummary& summary : table.summaries) {
    if (!summary.least_ratio) continue;
    axis.low = std::min(axis.low, *summary.least_ratio);
    axis.high = std::max(axis.high, *summary.greatest_ratio);
  }
  if (axis.low == axis.high) return nullptr;
  axis.low /= 1.1;
  axis.high *= 1.1;
  const std::vector<double> ticks = axis.ticks(kMostMarks);
  PageData lines = PageData::array(), marks = PageData::array();
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    lines.push_back(ratio_line(table, i, axis, ticks));
  for (const double tick : ticks)
    marks.push_back({{"place", fmt::format("{:.2f}", axis.at(tick) / 10)},
                     {"text", fmt::format("×{:g}", tick)}});
  return {{"lines", std::move(lines)}, {"marks", std::move(marks)}};
}

PageData rooflines_data(const DeviceTable& table) {
  std::vector<Roofline> all;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (Roofline one = roofline_of(table, i); !one.points.empty()) all.push_back(std::move(one));
  if (all.empty()) return nullptr;
  const RooflineAxes axes = axes_of(all);
  PageData figures = PageData::array();
  for (const Roofline& one : all) figures.push_back(roofline_data(one, axes));
  return {{"figures", std::move(figures)}};
}

}  // namespace plumbline
