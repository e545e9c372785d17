#include "reports/devices/prices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "reports/axis.h"
#include "reports/devices/charts.h"
#include "reports/devices/texts.h"
#include "reports/strip.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostMarks = 6;  // beside an axis
constexpr double kWide = 640, kLeft = 48, kTop = 12, kBottom = 256, kLineHeight = 14;
constexpr double kLetterWidth = 6.5, kBeside = 5, kAbove = 7, kBelow = 15;  // distances of names
                                                                            // from their points

bool is_priced(const DeviceTable& table, std::size_t i) {
  return table.columns[i].price_per_h && table.summaries[i].mean_ratio;
}

double price_of(const DeviceTable& table, std::size_t i) { return *table.columns[i].price_per_h; }
double speed_of(const DeviceTable& table, std::size_t i) { return *table.summaries[i].mean_ratio; }

/// Both axes begin at 0: twice the distance is twice the price or twice the speed.
struct Axes {
  Axis x{0, 0, kLeft, kWide - 16, false}, y{0, 0, kBottom, kTop, false};
};

Axes axes_of(const DeviceTable& table, const std::vector<std::size_t>& priced) {
  Axes axes;
  for (const std::size_t i : priced) {
    axes.x.high = std::max(axes.x.high, 1.1 * price_of(table, i));
    axes.y.high = std::max(axes.y.high, 1.1 * speed_of(table, i));
  }
  return axes;
}

PageData text_data(double x, double y, std::string_view anchor, const std::string& text,
                   std::string_view kind = "") {
  return {{"x", fmt::format("{:.1f}", x)},
          {"y", fmt::format("{:.1f}", y)},
          {"anchor", anchor},
          {"kind", kind},
          {"text", text}};
}

/// Keeps names off the frontier, which rises to the right: names are below and right of their
/// points, or above and left without room. A name that would cover another moves on.
void add_names(const DeviceTable& table, const std::vector<std::size_t>& priced, const Axes& axes,
               PageData& texts) {
  struct Place {
    double left, right, y;
  };
  std::vector<Place> taken;
  for (const std::size_t i : priced) {
    const std::string& name = table.columns[i].name;
    const double x = axes.x.at(price_of(table, i)), wide = kLetterWidth * double(name.size());
    const bool is_left = x + kBeside + wide > kWide;
    Place place{is_left ? x - kBeside - wide : x + kBeside,
                is_left ? x - kBeside : x + kBeside + wide,
                axes.y.at(speed_of(table, i)) + (is_left ? -kAbove : kBelow)};
    while (std::ranges::any_of(taken, [&](const Place& other) {
      return other.left < place.right && place.left < other.right &&
             std::abs(other.y - place.y) < kLineHeight;
    }))
      place.y += is_left ? -1 : 1;
    taken.push_back(place);
    texts.push_back(text_data(is_left ? place.right : place.left, place.y,
                              is_left ? "end" : "start", name, "name"));
  }
}

PageData marks_data(const DeviceTable& table, const Axes& axes, std::string& grid) {
  PageData texts = PageData::array();
  // A mark at 0 may be -0; + 0.0 makes it 0.
  for (const double mark : axes.x.ticks(kMostMarks))
    texts.push_back(
        text_data(axes.x.at(mark), kBottom + 18, "middle", fmt::format("{:g}", mark + 0.0)));
  for (const double mark : axes.y.ticks(kMostMarks)) {
    grid += fmt::format("M{} {:.1f}H{}", kLeft, axes.y.at(mark), axes.x.to);
    texts.push_back(
        text_data(kLeft - 6, axes.y.at(mark) + 4, "end", fmt::format("×{:g}", mark + 0.0)));
  }
  texts.push_back(
      text_data(axes.x.to, kBottom + 36, "end",
                table.currency.empty() ? "price of an hour" : table.currency + " an hour"));
  return texts;
}

std::string frontier_text(const DeviceTable& table, const std::vector<std::size_t>& frontier) {
  std::vector<std::string> told;
  for (const std::size_t i : frontier)
    told.push_back(fmt::format("{} ({}, {})", table.columns[i].name,
                               price_text(table, price_of(table, i)),
                               ratio_text(speed_of(table, i))));
  return fmt::format("{}", fmt::join(told, ", "));
}

}  // namespace

std::vector<std::size_t> price_frontier(const DeviceTable& table) {
  std::vector<std::size_t> priced;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (is_priced(table, i)) priced.push_back(i);
  std::ranges::stable_sort(priced, [&](std::size_t a, std::size_t b) {
    return std::pair(price_of(table, a), -speed_of(table, a)) <
           std::pair(price_of(table, b), -speed_of(table, b));
  });
  std::vector<std::size_t> frontier;
  for (const std::size_t i : priced)
    if (frontier.empty() || speed_of(table, i) > speed_of(table, frontier.back()))
      frontier.push_back(i);
  return frontier;
}

PageData prices_data(const DeviceTable& table, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> priced;
  std::ranges::copy_if(order, std::back_inserter(priced),
                       [&](std::size_t i) { return is_priced(table, i); });
  if (priced.size() < 2) return nullptr;
  const Axes axes = axes_of(table, priced);
  const std::vector<std::size_t> frontier = price_frontier(table);
  std::vector<std::pair<double, double>> points;
  for (const std::size_t i : priced)
    points.emplace_back(axes.x.at(price_of(table, i)), axes.y.at(speed_of(table, i)));
  std::string line, grid;
  for (const std::size_t i : frontier)
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", axes.x.at(price_of(table, i)),
                        axes.y.at(speed_of(table, i)));
  PageData texts = marks_data(table, axes, grid);
  add_names(table, priced, axes, texts);
  PageData paths = PageData::array();
  paths.push_back(path_data("grid", grid));
  paths.push_back(path_data("frontier", line));
  paths.push_back(path_data("dots faster", dots_path(points)));
  return {{"label", fmt::format("Price and speed of {} {}s", priced.size(), column_word(table))},
          {"currency", table.currency},
          {"frontier", frontier_text(table, frontier)},
          {"paths", std::move(paths)},
          {"texts", std::move(texts)}};
}

}  // namespace plumbline
