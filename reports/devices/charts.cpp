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
#include "reports/cells.h"
#include "reports/devices/texts.h"
#include "reports/strip.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostMarks = 9;  // beside an axis

/// Dots of the ratios on one side of ×1. A fixed scatter across the line keeps equal ratios from
/// hiding each other.
std::string ratio_dots(const std::vector<double>& ratios, bool is_better, const Axis& axis) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < ratios.size(); ++i)
    if ((ratios[i] >= 1) == is_better)
      points.emplace_back(axis.at(ratios[i]), 5 + double(i * 7 % 15));
  return dots_path(points);
}

PageData model_data(const DeviceTable& table, std::size_t column, const Axis& axis,
                    const std::vector<double>& marks) {
  const DeviceSummary& summary = table.summaries[column];
  const DeviceColumn& device = table.columns[column];
  std::string grid;
  for (const double mark : marks) grid += fmt::format("M{:.1f} 0v24", axis.at(mark));
  PageData paths = PageData::array();
  paths.push_back(path_data("grid", grid));
  paths.push_back(path_data("one", fmt::format("M{:.1f} 0v24", axis.at(1))));
  const bool is_drawn = column != table.reference && summary.mean_ratio;
  if (is_drawn) {
    const std::vector<double> ratios = common_ratios(table, column);
    paths.push_back(path_data("dots slower", ratio_dots(ratios, false, axis)));
    paths.push_back(path_data("dots faster", ratio_dots(ratios, true, axis)));
    paths.push_back(path_data("mean", fmt::format("M{:.1f} 1v22", axis.at(*summary.mean_ratio))));
  }
  return {
      {"column", column},
      {"name", device.name},
      {"paths", std::move(paths)},
      {"mean", mean_text(table, column)},
      {"range", is_drawn ? ratio_range_text(*summary.least_ratio, *summary.greatest_ratio) : ""},
      {"cases", summary.cases},
      {"price", device.price_per_h ? price_text(table, *device.price_per_h) : "–"},
      {"hourly", device.price_per_h ? fmt::format("{:.6g}", *device.price_per_h) : ""},
      {"class", device.run->info.environment.device_class},
      {"work", ratio_or_dash(summary.work_ratio)}};
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
  std::map<std::string, double> ceilings;  // calibrated product rates of the points' dtypes
  std::vector<RooflinePoint> points;

  double highest() const {
    double most = kUnknown;
    for (const auto& [dtype, rate] : ceilings) most = most >= rate ? most : rate;
    return most;
  }
};

/// Each point has its own roof, not the device's highest: float32 is not compared with bfloat16.
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
    // Per cell, not per row: variants may have several dtypes.
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

/// The axes are the same for all devices.
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

/// The slope of the bandwidth; from there to the right, a ceiling for each dtype.
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
  paths.push_back(path_data("dots faster", dots_path(points)));
  return {{"device", one.column->name},
          {"count", one.points.size()},
          {"paths", std::move(paths)},
          {"limits", fmt::format("{:g} to {:g} FLOP/byte; up to {}{}", axes.x.low, axes.x.high,
                                 quantity_text(one.bytes_per_s, "B/s"), ceilings)},
          {"points", points_data(one)}};
}

/// Round ratios.
std::vector<double> ratio_ticks(Axis axis) {
  axis.is_log = axis.high > 3 * axis.low;  // else 1, 2 and 5 would give too few
  return axis.ticks(axis.is_log ? kMostMarks : kMostMarks / 2);
}

}  // namespace

std::string dots_path(const std::vector<std::pair<double, double>>& points) {
  std::string path;
  for (const auto& [x, y] : points) path += fmt::format("M{:.1f} {:.1f}h0", x, y);
  return path;
}

std::vector<double> common_ratios(const DeviceTable& table, std::size_t column) {
  std::vector<double> ratios;
  for (const DeviceRow& row : table.rows)
    if (row.is_common) ratios.push_back(*row.cells[column].ratio);
  return ratios;
}

Axis ratio_axis(const DeviceTable& table, double from, double to) {
  Axis axis{1, 1, from, to, true};
  for (const DeviceRow& row : table.rows)
    for (const DeviceCell& cell : row.cells)
      if (cell.ratio && row.is_summed_up) {
        axis.low = std::min(axis.low, *cell.ratio);
        axis.high = std::max(axis.high, *cell.ratio);
      }
  axis.low /= 1.1;
  axis.high *= 1.1;
  return axis;
}

PageData marks_data(const Axis& axis) {
  PageData marks = PageData::array();
  for (const double tick : ratio_ticks(axis))
    marks.push_back({{"place", fmt::format("{:.2f}", axis.at(tick) / 10)},
                     {"text", fmt::format("×{:g}", tick)}});
  return marks;
}

PageData models_data(const DeviceTable& table, const std::vector<std::size_t>& order) {
  if (table.common == 0) return nullptr;
  const Axis axis = ratio_axis(table, 0, 1000);
  const std::vector<double> ticks = ratio_ticks(axis);
  PageData models = PageData::array();
  for (const std::size_t i : order) models.push_back(model_data(table, i, axis, ticks));
  const bool is_priced = std::ranges::any_of(
      table.columns, [](const DeviceColumn& column) { return column.price_per_h.has_value(); });
  return {{"low", fmt::format("{:.6g}", axis.low)},
          {"high", fmt::format("{:.6g}", axis.high)},
          {"spread", table.cards ? fmt::format("{:.6g}", table.cards->half_width) : ""},
          {"is_priced", is_priced},
          {"marks", marks_data(axis)},
          {"models", std::move(models)}};
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
