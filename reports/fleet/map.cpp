#include "reports/fleet/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/fleet/texts.h"
#include "core/words.h"

namespace plumbline {
namespace {

constexpr std::array kHeats{0.005, 0.01, 0.02, 0.05};
constexpr std::size_t kShown = 24;         // rows of a map that are not folded
constexpr std::size_t kMostFolded = 4000;  // a page of more would be slow; the CSV has all

/// For sorting: units that are outside first, then by size.
double size_of(const FleetUnit& unit) {
  const FleetCell* const worst = unit.worst();
  if (!worst) return -1;
  constexpr double kOutsideFirst = 1e3;
  return std::abs(worst->deviation) + (unit.is_outside() ? kOutsideFirst : 0);
}

std::string worst_text(const Fleet& fleet, const FleetUnit& unit) {
  const FleetCell* const worst = unit.worst();
  if (!worst) return "no value";
  const auto cell = std::size_t(worst - unit.cells.data());
  return fmt::format("{} {}", fleet.family(unit, cell), deviation_text(worst->deviation));
}

/// "+1.2", without the percent sign, which the caption has.
std::string short_text(double deviation) {
  if (std::isnan(deviation)) return "–";
  const double percent = 100 * std::expm1(deviation);
  if (std::abs(percent) < 0.05) return "0";
  return (percent < 0 ? "−" : "+") + percent_digits(percent, 1);
}

/// The cells of a row: only numbers and classes, no name of anybody's.
std::string cells_markup(const FleetUnit& unit) {
  std::string markup;
  for (const FleetCell& cell : unit.cells) {
    std::string classes = heat_class(cell.deviation);
    if (cell.is_outside) classes += classes.empty() ? "out" : " out";
    markup += classes.empty() ? "<td>" : fmt::format("<td class=\"{}\">", classes);
    markup += short_text(cell.deviation) + "</td>";
  }
  return markup;
}

PageData row_data(const Fleet& fleet, const FleetUnit& unit) {
  const FleetConditions& seen = unit.conditions;
  return {
      {"name", unit.is_node ? "whole node" : unit.name},
      {"host", unit.host},
      {"is_node", unit.is_node},
      {"kind",
       fleet.class_of(unit).kinds.size() > 1 && !unit.is_node ? std::to_string(unit.kind + 1) : ""},
      {"temperature",
       std::isnan(seen.temperature_c) ? "–" : fmt::format("{:.0f}", seen.temperature_c)},
      {"clock", std::isnan(seen.clock_hz) ? "–" : fmt::format("{:.0f}", seen.clock_hz / 1e6)},
      {"cells", cells_markup(unit)}};
}

PageData map_data(const Fleet& fleet, std::size_t of_class) {
  const FleetClass& whole = fleet.classes[of_class];
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < fleet.units.size(); ++i)
    if (fleet.units[i].of_class == of_class &&
        (!fleet.units[i].is_node || fleet.units[i].is_outside()))
      order.push_back(i);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return size_of(fleet.units[i]); });
  const auto outside = std::size_t(
      std::ranges::count_if(order, [&](std::size_t i) { return fleet.units[i].is_outside(); }));
  const std::size_t shown = std::min(order.size(), std::max(kShown, outside));
  PageData families = PageData::array(), first = PageData::array(), rest = PageData::array();
  for (const FleetFamily& family : whole.families)
    families.push_back(
        {{"name", family.name},
         {"seen", std::isnan(family.seen) ? "–" : deviation_text(family.seen).substr(1)}});
  for (std::size_t k = 0; k < std::min(order.size(), shown + kMostFolded); ++k)
    (k < shown ? first : rest).push_back(row_data(fleet, fleet.units[order[k]]));
  const std::size_t left = order.size() - first.size() - rest.size();
  PageData data{{"name", whole.name},
                {"has_kinds", whole.kinds.size() > 1},
                {"families", std::move(families)},
                {"first", std::move(first)},
                {"folded", nullptr}};
  if (!rest.empty())
    data["folded"] = {
        {"count", counted(rest.size(), "ordinary device")},
        {"rows", std::move(rest)},
        {"left", left > 0 ? fmt::format("{} more are in the CSV and JSON.", left) : ""}};
  return data;
}

}  // namespace

std::string heat_class(double deviation) {
  if (std::isnan(deviation)) return "none";
  const double size = std::abs(std::expm1(deviation));
  const auto level = std::ranges::upper_bound(kHeats, size) - kHeats.begin();
  return level == 0 ? "" : fmt::format("{}{}", deviation > 0 ? 's' : 'f', level);
}

PageData tiles_data(const Fleet& fleet) {
  std::map<std::string, std::vector<const FleetUnit*>> hosts;
  for (const FleetUnit& unit : fleet.units)
    if (!unit.is_node) hosts[unit.host].push_back(&unit);
  std::vector<std::pair<double, const std::string*>> order;
  for (const auto& [host, units] : hosts) {
    double most = -1;
    for (const FleetUnit* unit : units) most = std::max(most, size_of(*unit));
    order.emplace_back(-most, &host);
  }
  std::ranges::stable_sort(order, {}, [](const auto& one) { return one.first; });
  PageData tiles = PageData::array();
  for (const auto& [size, host] : order) {
    PageData devices = PageData::array();
    for (const FleetUnit* unit : hosts.at(*host)) {
      const FleetCell* const worst = unit->worst();
      std::string classes = heat_class(worst ? worst->deviation : kUnknown);
      if (unit->is_outside()) classes += " out";
      if (unit->is_stale) classes += " stale";
      devices.push_back({{"heat", classes},
                         {"title", fmt::format("{}: {}{}", unit->name, worst_text(fleet, *unit),
                                               unit->is_outside() ? ", outside" : "")}});
    }
    tiles.push_back(
        {{"host", host->empty() ? "host unknown" : *host}, {"devices", std::move(devices)}});
  }
  return tiles;
}

PageData maps_data(const Fleet& fleet) {
  PageData maps = PageData::array();
  for (std::size_t i = 0; i < fleet.classes.size(); ++i) maps.push_back(map_data(fleet, i));
  return maps;
}

}  // namespace plumbline
