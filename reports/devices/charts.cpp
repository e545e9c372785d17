#include "reports/devices/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/estimate/achieved.h"
#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// A logarithmic axis over [low, high], onto [0, size].
struct LogAxis {
  double low, high, size;
  double at(double value) const {
    return size * (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  }
};

/// Ratios at 1, 2, 4, … or 1, 10, 100, …, whichever gives at most nine marks inside the axis.
std::vector<double> marks_of(const LogAxis& axis, double step) {
  std::vector<double> marks;
  for (double mark = std::pow(step, std::ceil(std::log(axis.low) / std::log(step) - 1e-9));
       mark <= axis.high * (1 + 1e-9); mark *= step)
    marks.push_back(mark);
  return marks.size() > 9 ? marks_of(axis, step * step) : marks;
}

std::string dots(const std::vector<std::pair<double, double>>& points) {
  std::string path;
  for (const auto& [x, y] : points) path += fmt::format("M{:.1f} {:.1f}h0", x, y);
  return path;
}

std::string ratio_line(const DeviceTable& table, std::size_t column, const LogAxis& axis,
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
  const bool is_reference = column == table.reference;
  std::string html = fmt::format(
      "<span class=\"device\">{}</span><svg viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\"><path class=\"grid\" d=\"{}\"/><path class=\"one\" d=\"M{:.1f} "
      "0v24\"/>",
      escaped(table.columns[column].name), grid, axis.at(1));
  if (!is_reference && summary.mean_ratio) {
    const char* const tone = *summary.mean_ratio >= 1 ? "faster" : "slower";
    html +=
        fmt::format("<path class=\"dots {}\" d=\"{}\"/><path class=\"mean\" d=\"M{:.1f} 1v22\"/>",
                    tone, dots(points), axis.at(*summary.mean_ratio));
  }
  html += "</svg><span class=\"num\">";
  html += is_reference ? "reference" : summary.mean_ratio ? ratio_text(*summary.mean_ratio) : "–";
  return html + "</span>\n";
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

std::string points_table(const Roofline& one) {
  std::string html =
      "<details><summary>Its values</summary><div class=\"wide\"><table class=\"rows record\">"
      "<thead><tr><th>case</th><th>metric</th><th class=\"num\">FLOP/byte</th><th "
      "class=\"num\">rate</th><th class=\"num\">roof</th><th class=\"num\">of calibrated "
      "peak</th></tr></thead><tbody>";
  for (const RooflinePoint& point : one.points)
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td "
        "class=\"num\">{}</td><td class=\"num\">{}</td></tr>",
        case_html(point.row->case_id), escaped(point.row->metric), number_text(point.intensity, 2),
        quantity_text(point.flops_per_s, "FLOP/s"), quantity_text(point.roof, "FLOP/s"),
        point.cell->share ? share_text(*point.cell->share) : "–");
  return html + "</tbody></table></div></details>";
}

/// All devices on the same axes.
struct RooflineAxes {
  LogAxis x{1e300, 0, 320}, y{1e300, 0, 200};
};

RooflineAxes axes_of(const std::vector<Roofline>& all) {
  RooflineAxes axes;
  const auto widen = [](LogAxis& axis, double value) {
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
  for (LogAxis* axis : {&axes.x, &axes.y}) {
    axis->low = std::pow(10, std::floor(std::log10(axis->low)));
    axis->high = std::pow(10, std::ceil(std::log10(axis->high * 1.01)));
  }
  return axes;
}

/// The slope of the bandwidth, and from it to the right a ceiling for each dtype.
std::string roof_path(const Roofline& one, const RooflineAxes& axes) {
  const auto y = [&](double rate) { return axes.y.size - axes.y.at(rate); };
  const double start = std::max(axes.x.low * one.bytes_per_s, axes.y.low);
  std::string path =
      fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", axes.x.at(start / one.bytes_per_s), y(start),
                  axes.x.at(one.highest() / one.bytes_per_s), y(one.highest()));
  for (const auto& [dtype, rate] : one.ceilings)
    path +=
        fmt::format("M{:.1f} {:.1f}H{}", axes.x.at(rate / one.bytes_per_s), y(rate), axes.x.size);
  return path;
}

std::string roofline_html(const Roofline& one, const RooflineAxes& axes) {
  std::vector<std::pair<double, double>> points;
  for (const RooflinePoint& point : one.points)
    points.emplace_back(axes.x.at(point.intensity), axes.y.size - axes.y.at(point.flops_per_s));
  std::string grid, ceilings;
  for (const double mark : marks_of(axes.x, 10))
    grid += fmt::format("M{:.1f} 0V{}", axes.x.at(mark), axes.y.size);
  for (const auto& [dtype, rate] : one.ceilings)
    ceilings += ", " + escaped(dtype) + " " + quantity_text(rate, "FLOP/s");
  return fmt::format(
      "<figure><figcaption>{}</figcaption><svg class=\"roof\" viewBox=\"-2 -6 326 210\" "
      "role=\"img\" aria-label=\"Roofline of {}: {} cases\"><path class=\"grid\" d=\"{}\"/><path "
      "class=\"limit\" d=\"{}\"/><path class=\"dots faster\" d=\"{}\"/></svg><p class=\"small "
      "quiet\">{:g} to {:g} FLOP/byte; up to {}{}</p>{}</figure>\n",
      escaped(one.column->name), escaped(one.column->name), one.points.size(), grid,
      roof_path(one, axes), dots(points), axes.x.low, axes.x.high,
      quantity_text(one.bytes_per_s, "B/s"), ceilings, points_table(one));
}

}  // namespace

std::string ratios_html(const DeviceTable& table) {
  LogAxis axis{1, 1, 1000};
  for (std::size_t i = 0; i < table.summaries.size(); ++i) {
    if (!table.summaries[i].least_ratio) continue;
    axis.low = std::min(axis.low, *table.summaries[i].least_ratio);
    axis.high = std::max(axis.high, *table.summaries[i].greatest_ratio);
  }
  if (axis.low == axis.high) return "";
  axis.low /= 1.1;
  axis.high *= 1.1;
  const std::vector<double> marks = marks_of(axis, 2);
  std::string html = "<div class=\"ratios\">\n";
  for (std::size_t i = 0; i < table.columns.size(); ++i) html += ratio_line(table, i, axis, marks);
  html += "<span></span><span class=\"marks num\" aria-hidden=\"true\">";
  for (const double mark : marks)
    html += fmt::format("<span style=\"left:{:.2f}%\">{}</span>", axis.at(mark) / 10,
                        "×" + fmt::format("{:g}", mark));
  return html + "</span><span></span></div>\n";
}

std::string rooflines_html(const DeviceTable& table) {
  std::vector<Roofline> all;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (Roofline one = roofline_of(table, i); !one.points.empty()) all.push_back(std::move(one));
  if (all.empty()) return "";
  const RooflineAxes axes = axes_of(all);
  std::string html = "<div class=\"roofs\">\n";
  for (const Roofline& one : all) html += roofline_html(one, axes);
  return html + "</div>\n";
}

}  // namespace plumbline
