#include "analysis/fleet/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/fleet/differences.h"
#include "analysis/fleet/kinds.h"
#include "analysis/fleet/spread.h"
#include "core/words.h"
#include "stats/descriptive.h"
#include "stats/multiplicity.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr std::size_t kLeastNodes = 4;
constexpr double kFarOut = 10;  // scales; of Student's t with 4 degrees of freedom, one of 1,800
constexpr double kLevel = 0.5;  // of today's deviation: a night of the same stretch has this share

/// Deviations of a unit in one night, by family; NaN is unknown.
using Deviations = std::vector<double>;
/// By night, for the nights in which it was measured.
using NightDeviations = std::map<std::size_t, Deviations>;

/// Devices of one class: what is judged.
struct ClassMembers {
  std::vector<std::size_t> devices;     // indices of the fleet's units
  std::vector<NightDeviations> nights;  // of each, against its kind
  std::vector<std::size_t> kind;
};

double value_or_unknown(const FamilyValue& value) {
  return value.count > 0 ? double(value.value) : kUnknown;
}

/// Medians of a kind in a night, by family.
Deviations middles(const std::vector<const DeviceNight*>& devices, std::size_t families) {
  Deviations middle(families, kUnknown);
  std::vector<double> values;
  for (std::size_t family = 0; family < families; ++family) {
    values.clear();
    for (const DeviceNight* device : devices)
      if (device->families[family].count > 0) values.push_back(device->families[family].value);
    if (!values.empty()) middle[family] = median(values);
  }
  return middle;
}

/// Sets the kinds of a class, from its latest night.
void find_kinds(const std::vector<DeviceSeries>& series, FleetClass& of_class,
                ClassMembers& members, const FleetRule& rule, std::vector<FleetUnit>& units) {
  std::vector<std::vector<double>> values;
  std::vector<std::string> hosts;
  std::vector<std::size_t> today;  // members with values of the latest night
  for (std::size_t i = 0; i < members.devices.size(); ++i) {
    const DeviceSeries& device = series[members.devices[i]];
    if (device.nights.empty() || device.nights.back().night + 1 != of_class.nights.size()) continue;
    today.push_back(i);
    hosts.push_back(units[members.devices[i]].host);
    std::vector<double>& row = values.emplace_back();
    for (const FamilyValue& value : device.nights.back().families)
      row.push_back(value_or_unknown(value));
  }
  const DeviceKinds found = kinds_of(values, hosts, rule.kind_rate);
  members.kind.assign(members.devices.size(), 0);
  of_class.kinds.resize(found.count);
  if (found.family > 0) of_class.split_family = of_class.families[found.family].name;
  for (std::size_t i = 0; i < today.size(); ++i) {
    members.kind[today[i]] = found.kind[i];
    units[members.devices[today[i]]].kind = found.kind[i];
    ++of_class.kinds[found.kind[i]].devices;
  }
}

/// Deviations of all devices from their kind, in each night.
void set_nights(const std::vector<DeviceSeries>& series, FleetClass& of_class,
                ClassMembers& members) {
  members.nights.resize(members.devices.size());
  std::map<std::pair<std::size_t, std::size_t>, std::vector<const DeviceNight*>> groups;
  for (std::size_t i = 0; i < members.devices.size(); ++i)
    for (const DeviceNight& night : series[members.devices[i]].nights)
      groups[{night.night, members.kind[i]}].push_back(&night);
  std::map<std::pair<std::size_t, std::size_t>, Deviations> middle;
  for (const auto& [group, devices] : groups)
    middle[group] = middles(devices, of_class.families.size());
  for (std::size_t i = 0; i < members.devices.size(); ++i)
    for (const DeviceNight& night : series[members.devices[i]].nights) {
      const Deviations& of_kind = middle.at({night.night, members.kind[i]});
      Deviations& own = members.nights[i][night.night];
      for (std::size_t family = 0; family < of_kind.size(); ++family)
        own.push_back(value_or_unknown(night.families[family]) - of_kind[family]);
    }
  for (std::size_t kind = 0; kind < of_class.kinds.size(); ++kind) {
    const auto found = middle.find({of_class.nights.size() - 1, kind});
    if (found != middle.end()) of_class.kinds[kind].offset = found->second;
  }
}

/// Sets the deviations of the latest night, and since when they are as they are.
void set_cells(const NightDeviations& nights, std::size_t latest, FleetUnit& unit) {
  const auto today = nights.find(latest);
  if (today == nights.end()) return;
  for (std::size_t family = 0; family < unit.cells.size(); ++family) {
    FleetCell& cell = unit.cells[family];
    cell.deviation = today->second[family];
    for (const auto& [night, deviations] : nights) cell.nights += !std::isnan(deviations[family]);
  }
}

void set_since(const NightDeviations& nights, const FleetClass& of_class, FleetUnit& unit) {
  for (std::size_t family = 0; family < unit.cells.size(); ++family) {
    FleetCell& cell = unit.cells[family];
    if (!cell.is_outside) continue;
    std::vector<double> before;
    for (auto night = nights.rbegin(); night != nights.rend(); ++night) {
      const double value = night->second[family];
      if (std::isnan(value)) continue;
      if (before.empty() && value / cell.deviation >= kLevel) {
        cell.since = of_class.nights[night->first];
        ++cell.nights_out;
      } else {
        before.push_back(value);
      }
    }
    if (!before.empty()) cell.before = median(before);
  }
}

/// By family: the values that units have today.
std::vector<std::vector<double>> by_family(const std::vector<FleetUnit>& units,
                                           const std::vector<std::size_t>& chosen,
                                           std::size_t families) {
  std::vector<std::vector<double>> values(families);
  for (const std::size_t unit : chosen)
    for (std::size_t family = 0; family < families; ++family)
      if (const double value = units[unit].cells[family].deviation; !std::isnan(value))
        values[family].push_back(value);
  return values;
}

/// |deviation / scale| by unit, without what is so far out that it says nothing of the tails.
std::vector<std::vector<double>> sizes_of(const std::vector<FleetUnit>& units,
                                          const std::vector<std::size_t>& chosen,
                                          const std::vector<Spread>& spreads) {
  std::vector<std::vector<double>> sizes;
  for (const std::size_t unit : chosen) {
    std::vector<double>& own = sizes.emplace_back();
    for (std::size_t family = 1; family < spreads.size(); ++family) {
      const double size = std::abs(units[unit].cells[family].deviation / spreads[family].scale);
      if (std::isfinite(size) && size < kFarOut) own.push_back(size);
    }
  }
  return sizes;
}

/// What more than half of a node's devices have at least: their median; of two middle ones, the one
/// nearer to the class, so that one of two devices is no node.
double shared_level(std::vector<double> values) {
  if (values.empty()) return kUnknown;
  std::ranges::sort(values);
  const double low = values[(values.size() - 1) / 2], high = values[values.size() / 2];
  return std::abs(low) < std::abs(high) ? low : high;
}

/// Nodes of a class: the devices of one host, from two on. Appends them to the units.
std::vector<std::size_t> add_nodes(std::size_t of_class, const ClassMembers& members, Fleet& fleet,
                                   std::vector<NightDeviations>& nights) {
  std::map<std::string, std::vector<std::size_t>> hosts;  // members
  for (std::size_t i = 0; i < members.devices.size(); ++i)
    if (const std::string& host = fleet.units[members.devices[i]].host; !host.empty())
      hosts[host].push_back(i);
  std::vector<std::size_t> nodes;
  for (const auto& [host, on_it] : hosts) {
    if (on_it.size() < 2) continue;
    nodes.push_back(fleet.units.size());
    FleetUnit node;
    node.name = node.host = host;
    node.is_node = true;
    node.of_class = of_class;
    node.cells.resize(fleet.classes[of_class].families.size());
    std::map<std::size_t, std::vector<const Deviations*>> by_night;
    for (const std::size_t i : on_it) {
      const FleetUnit& device = fleet.units[members.devices[i]];
      node.devices.push_back(members.devices[i]);
      if (device.night >= node.night) {
        node.night = device.night;
        node.run = device.run;
      }
      node.missing += device.missing;
      add_conditions(device.conditions, node.conditions);
      for (const auto& [night, deviations] : members.nights[i])
        by_night[night].push_back(&deviations);
    }
    node.is_stale = node.night != fleet.classes[of_class].nights.back();
    NightDeviations& own = nights.emplace_back();
    for (const auto& [night, all] : by_night)
      for (std::size_t family = 0; family < node.cells.size(); ++family) {
        std::vector<double> values;
        for (const Deviations* one : all)
          if (!std::isnan((*one)[family])) values.push_back((*one)[family]);
        own[night].push_back(shared_level(values));
      }
    fleet.units.push_back(std::move(node));
  }
  return nodes;
}

/// A test of a unit in a family: its p value, and the cell that takes the adjusted one.
struct Test {
  FleetCell* cell;
  double p;
};

void add_tests(const std::vector<std::size_t>& chosen, const std::vector<Spread>& spreads,
               std::vector<FleetUnit>& units, std::vector<Test>& tests) {
  // With one family, all families together are that one.
  for (const std::size_t unit : chosen)
    for (std::size_t family = spreads.size() == 2 ? 1 : 0; family < spreads.size(); ++family) {
      FleetCell& cell = units[unit].cells[family];
      cell.z = cell.deviation / spreads[family].scale;
      if (std::isnan(cell.z)) continue;
      tests.push_back({&cell, student_t_two_sided_p(cell.z, spreads[family].df)});
    }
}

/// What judging a class leaves for the end, when the number of tests is known.
struct Judged {
  std::size_t of_class = 0;
  ClassMembers members;
  std::vector<std::size_t> devices, nodes;  // units that are tested
  std::vector<NightDeviations> node_nights;
  std::vector<Spread> spreads, node_spreads;
};

std::string too_few(const FleetClass& of_class, std::size_t today, const FleetRule& rule) {
  if (today >= rule.devices) return "";
  return fmt::format(
      "{} of {} measured what others measured in the same night ({}); a class needs {} to tell "
      "which "
      "of them is outside. Shards of one run have no case in common",
      counted(today, "device"), of_class.name, of_class.nights.back(), rule.devices);
}

Judged judge_class(const std::vector<DeviceSeries>& series, std::size_t of_class, Fleet& fleet) {
  FleetClass& whole = fleet.classes[of_class];
  Judged judged;
  judged.of_class = of_class;
  ClassMembers& members = judged.members;
  for (std::size_t i = 0; i < series.size(); ++i)
    if (series[i].unit.of_class == of_class) members.devices.push_back(i);
  whole.devices = members.devices.size();
  find_kinds(series, whole, members, fleet.rule, fleet.units);
  set_nights(series, whole, members);
  for (std::size_t i = 0; i < members.devices.size(); ++i) {
    FleetUnit& unit = fleet.units[members.devices[i]];
    set_cells(members.nights[i], whole.nights.size() - 1, unit);
    if (!std::isnan(unit.cells.front().deviation)) judged.devices.push_back(members.devices[i]);
  }
  whole.not_judged = too_few(whole, judged.devices.size(), fleet.rule);
  judged.nodes = add_nodes(of_class, members, fleet, judged.node_nights);
  whole.nodes = judged.nodes.size();
  for (std::size_t i = 0; i < judged.nodes.size(); ++i)
    set_cells(judged.node_nights[i], whole.nights.size() - 1, fleet.units[judged.nodes[i]]);
  const std::size_t families = whole.families.size();
  const auto values = by_family(fleet.units, judged.devices, families);
  judged.spreads = spreads_of(values, whole.kinds.size(), whole.device_kind, kNormalTails);
  const double tails =
      tail_df(sizes_of(fleet.units, judged.devices, judged.spreads), whole.device_kind);
  judged.spreads = spreads_of(values, whole.kinds.size(), whole.device_kind, tails);
  if (judged.nodes.size() >= kLeastNodes)
    judged.node_spreads =
        spreads_of(by_family(fleet.units, judged.nodes, families), 1, whole.device_kind, tails);
  for (std::size_t family = 0; family < families; ++family) {
    whole.families[family].spread = judged.spreads[family].scale;
    whole.families[family].df = judged.spreads[family].df;
    if (!judged.node_spreads.empty())
      whole.families[family].node_spread = judged.node_spreads[family].scale;
  }
  return judged;
}

/// The deviation that has the threshold's p value.
void set_seen(const FleetRule& rule, std::size_t tests, FleetClass& of_class) {
  for (FleetFamily& family : of_class.families)
    if (!std::isnan(family.spread) && tests > 0 && of_class.not_judged.empty())
      family.seen =
          std::max(rule.least,
                   -family.spread * student_t_quantile(rule.rate / double(tests) / 2, family.df));
}

}  // namespace

bool FleetClass::sees_little() const {
  return not_judged.empty() && std::ranges::none_of(families, [](const FleetFamily& family) {
           return family.seen <= kClearlyOff;
         });
}

bool FleetUnit::is_outside() const { return std::ranges::any_of(cells, &FleetCell::is_outside); }

bool FleetUnit::is_slower() const {
  return std::ranges::any_of(
      cells, [](const FleetCell& cell) { return cell.is_outside && cell.deviation > 0; });
}

const FleetCell* FleetUnit::worst() const {
  const FleetCell* found = nullptr;
  for (const FleetCell& cell : cells) {
    if (std::isnan(cell.deviation)) continue;
    if (!found || std::pair(cell.is_outside, std::abs(cell.deviation)) >
                      std::pair(found->is_outside, std::abs(found->deviation)))
      found = &cell;
  }
  return found;
}

Fleet judge_fleet(FleetSeries series, const FleetRule& rule) {
  Fleet fleet;
  fleet.rule = rule;
  fleet.classes = std::move(series.classes);
  fleet.notes = std::move(series.notes);
  fleet.runs = series.runs;
  for (DeviceSeries& device : series.devices) fleet.units.push_back(std::move(device.unit));
  for (std::size_t i = 0; i < fleet.units.size(); ++i)
    series.devices[i].unit.of_class = fleet.units[i].of_class;
  std::vector<Judged> all;
  for (std::size_t i = 0; i < fleet.classes.size(); ++i)
    all.push_back(judge_class(series.devices, i, fleet));
  std::vector<Test> tests;
  for (const Judged& judged : all) {
    if (!fleet.classes[judged.of_class].not_judged.empty()) continue;
    add_tests(judged.devices, judged.spreads, fleet.units, tests);
    if (!judged.node_spreads.empty())
      add_tests(judged.nodes, judged.node_spreads, fleet.units, tests);
  }
  std::vector<double> p_values;
  for (const Test& test : tests) p_values.push_back(test.p);
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    FleetCell& cell = *tests[i].cell;
    cell.p = adjusted[i];
    cell.is_outside = cell.p <= rule.rate && std::abs(cell.deviation) >= rule.least;
  }
  fleet.tests = tests.size();
  for (const Judged& judged : all) {
    FleetClass& of_class = fleet.classes[judged.of_class];
    set_seen(rule, tests.size(), of_class);
    for (std::size_t i = 0; i < judged.members.devices.size(); ++i)
      set_since(judged.members.nights[i], of_class, fleet.units[judged.members.devices[i]]);
    for (std::size_t i = 0; i < judged.nodes.size(); ++i)
      set_since(judged.node_nights[i], of_class, fleet.units[judged.nodes[i]]);
  }
  tell_differences(fleet);
  return fleet;
}

}  // namespace plumbline
