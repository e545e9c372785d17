#include "analysis/fleet/texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/words.h"

namespace plumbline {
namespace {

struct Outside {
  std::size_t slower_devices = 0, faster_devices = 0, slower_nodes = 0, judged = 0;
};

Outside outside_of(const Fleet& fleet) {
  Outside found;
  for (const FleetUnit& unit : fleet.units) {
    if (!unit.is_node && fleet.class_of(unit).not_judged.empty()) ++found.judged;
    if (!unit.is_outside()) continue;
    if (unit.is_node)
      found.slower_nodes += unit.is_slower();
    else
      ++(unit.is_slower() ? found.slower_devices : found.faster_devices);
  }
  return found;
}

/// The range of a number over the families of a class, in percent: "1.0 to 2.1 %".
std::string range_text(const FleetClass& of_class, double FleetFamily::*member) {
  double least = kUnknown, most = kUnknown;
  for (const FleetFamily& family : of_class.families) {
    least = std::fmin(least, family.*member);
    most = std::fmax(most, family.*member);
  }
  const std::string low = percent_digits(100 * std::expm1(least), 1),
                    high = percent_digits(100 * std::expm1(most), 1);
  return low == high ? low + " %" : fmt::format("{} to {} %", low, high);
}

/// "Kind 2 has 40 of its 200 devices: +3.8 % in op1; VBIOS 96.00.D0".
std::string kind_text(const FleetClass& of_class, std::size_t kind) {
  const FleetKind& own = of_class.kinds[kind];
  std::size_t furthest = 0;
  for (std::size_t i = 0; i < own.offset.size() && !of_class.kinds[0].offset.empty(); ++i) {
    const auto distance = [&](std::size_t family) {
      const double value = std::abs(own.offset[family] - of_class.kinds[0].offset[family]);
      return std::isnan(value) ? -1 : value;
    };
    if (distance(i) > distance(furthest)) furthest = i;
  }
  std::string text = fmt::format(
      "{}: kind {} has {} of {} devices; from kind 1 it differs most in {}, by {}", of_class.name,
      kind + 1, own.devices, of_class.devices, of_class.families[furthest].name,
      deviation_text(own.offset[furthest] - of_class.kinds[0].offset[furthest]));
  if (!own.differs.empty()) text += fmt::format(" ({})", fmt::join(own.differs, ", "));
  return text + ". Its devices are compared with each other.";
}

void add_class(const Fleet& fleet, std::size_t i, std::vector<std::string>& remarks) {
  const FleetClass& of_class = fleet.classes[i];
  if (!of_class.not_judged.empty()) {
    remarks.push_back("Not judged: " + of_class.not_judged + ".");
    return;
  }
  remarks.push_back(fmt::format(
      "{}: {}, {} of several devices, {}, {}. A device {} off is found half of the time, depending "
      "on "
      "the family.",
      of_class.name, counted(of_class.devices, "device"), counted(of_class.nodes, "node"),
      of_class.families.size() == 2 ? "1 family"
                                    : fmt::format("{} families", of_class.families.size() - 1),
      counted(of_class.nights.size(), "night"), range_text(of_class, &FleetFamily::seen)));
  for (std::size_t kind = 1; kind < of_class.kinds.size(); ++kind)
    remarks.push_back(kind_text(of_class, kind));
}

/// Devices of the fleet for which this holds.
template <class Test>
std::size_t devices_with(const Fleet& fleet, const Test& test) {
  return std::size_t(std::ranges::count_if(
      fleet.units, [&](const FleetUnit& unit) { return !unit.is_node && test(unit); }));
}

}  // namespace

std::string deviation_text(double log) {
  if (std::isnan(log)) return "–";
  const double percent = 100 * std::expm1(log);
  return (percent < 0 ? "−" : "+") + percent_digits(percent, std::abs(percent) < 1 ? 2 : 1) + " %";
}

std::string p_text(double p) {
  if (p < 1e-6) return "p < 1e-6";
  return fmt::format("p = {:.2g}", p);
}

std::string since_text(const FleetCell& cell) {
  if (!cell.is_outside) return "";
  if (cell.nights <= 1) return cell.since + ", the only night";
  std::string text =
      fmt::format("since {}, {} of {}", cell.since, cell.nights_out, counted(cell.nights, "night"));
  return std::isnan(cell.before) ? text : text + "; before " + deviation_text(cell.before);
}

std::vector<std::size_t> cells_outside(const FleetUnit& unit, std::size_t most) {
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < unit.cells.size(); ++i)
    if (unit.cells[i].is_outside) cells.push_back(i);
  std::ranges::stable_sort(cells, {}, [&](std::size_t i) {
    return std::pair(i > 0, -std::abs(unit.cells[i].deviation));
  });
  if (cells.size() > most) cells.resize(most);
  return cells;
}

std::string more_outside_text(const FleetUnit& unit, std::size_t most) {
  const auto count = std::size_t(std::ranges::count_if(unit.cells, &FleetCell::is_outside));
  if (count <= most) return "";
  return fmt::format("and {} more {}", count - most, count - most == 1 ? "family" : "families");
}

/// What a class that sees little may hide, with its furthest device; "" for the others.
std::string hidden_text(const Fleet& fleet, std::size_t of_class) {
  if (!fleet.classes[of_class].sees_little()) return "";
  const FleetUnit* furthest = nullptr;
  const auto distance = [](const FleetUnit& unit) {
    return unit.worst() ? std::abs(unit.worst()->deviation) : 0;
  };
  for (const FleetUnit& unit : fleet.units)
    if (unit.of_class == of_class && !unit.is_node && !unit.is_stale &&
        (!furthest || distance(unit) > distance(*furthest)))
      furthest = &unit;
  if (!furthest || !furthest->worst()) return "";
  const auto family = std::size_t(furthest->worst() - furthest->cells.data());
  return fmt::format(
      " But {} shows little: a device {} off is found half of the time. The furthest, {}, is {} "
      "off in "
      "{}. Measure more nights, more devices or more rounds.",
      fleet.classes[of_class].name, range_text(fleet.classes[of_class], &FleetFamily::seen),
      furthest->name, deviation_text(furthest->worst()->deviation),
      fleet.family(*furthest, family));
}

std::string fleet_sentence(const Fleet& fleet) {
  const Outside found = outside_of(fleet);
  if (found.judged == 0) return "No device can be judged.";
  std::vector<std::string> parts;
  if (found.slower_devices > 0)
    parts.push_back(counted(found.slower_devices, "device") + " slower");
  if (found.faster_devices > 0)
    parts.push_back(counted(found.faster_devices, "device") + " faster");
  if (found.slower_nodes > 0)
    parts.push_back(counted(found.slower_nodes, "whole node") + " slower");
  std::string text =
      parts.empty()
          ? fmt::format("None of {} is outside of its class.", counted(found.judged, "device"))
          : fmt::format("Outside of their class: {}, of {}.", fmt::join(parts, ", "),
                        counted(found.judged, "device"));
  for (std::size_t i = 0; i < fleet.classes.size(); ++i) {
    if (parts.empty()) text += hidden_text(fleet, i);
    if (fleet.classes[i].kinds.size() > 1)
      text += fmt::format(" {} falls into {} kinds.", fleet.classes[i].name,
                          fleet.classes[i].kinds.size());
  }
  return text;
}

std::vector<std::string> fleet_remarks(const Fleet& fleet) {
  std::vector<std::string> remarks;
  for (std::size_t i = 0; i < fleet.classes.size(); ++i) add_class(fleet, i, remarks);
  if (fleet.tests > 0)
    remarks.push_back(fmt::format(
        "Without a bad device, at most {} % of such reports call any device or node outside (Holm, "
        "{} tests). Only deviations of {} and more count.",
        fmt::format("{:.3g}", 100 * fleet.rule.rate), fleet.tests,
        deviation_text(fleet.rule.least).substr(1)));
  const auto say = [&](std::size_t count, std::string_view what) {
    if (count > 0) remarks.push_back(fmt::format("{} {}.", counted(count, "device"), what));
  };
  say(devices_with(fleet, [](const FleetUnit& u) { return u.is_stale; }),
      "not measured in the latest night of the class, and not judged");
  say(devices_with(fleet, [](const FleetUnit& u) { return u.conditions.failed > 0; }),
      "with cases that fail");
  say(devices_with(fleet, [](const FleetUnit& u) { return !u.differs.empty(); }),
      "with an environment unlike most of the class");
  say(devices_with(fleet,
                   [](const FleetUnit& u) { return std::isnan(u.conditions.temperature_c); }),
      "without a recorded temperature");
  say(devices_with(fleet,
                   [](const FleetUnit& u) {
                     return u.environment.device_kind == "cuda" && !u.environment.ecc_uncorrected;
                   }),
      "without recorded error counters (measured before they were read, or by a worker that "
      "cannot)");
  return remarks;
}

std::vector<std::size_t> outside_first(const Fleet& fleet) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < fleet.units.size(); ++i) {
    const FleetUnit& unit = fleet.units[i];
    if (unit.is_outside() || (!unit.is_node && (unit.is_stale || unit.conditions.failed > 0)))
      order.push_back(i);
  }
  const auto rank = [&](std::size_t i) {
    const FleetUnit& unit = fleet.units[i];
    const FleetCell* const worst = unit.worst();
    return std::tuple(!unit.is_outside(), !unit.is_slower(), !unit.is_node,
                      worst ? -std::abs(worst->deviation) : 0.0, i);
  };
  std::ranges::sort(order, {}, rank);
  return order;
}

}  // namespace plumbline
