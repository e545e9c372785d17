#include "analysis/fleet/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/fleet/texts.h"
#include "core/pattern.h"
#include "core/value.h"
#include "core/words.h"

namespace plumbline {
namespace {

enum class Answer { no, yes, unknown };

struct Told {
  Answer answer = Answer::yes;
  std::string why;
};

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

template <auto Member>
std::optional<double> recorded(const FleetUnit& device) {
  const auto value = device.environment.*Member;
  return value ? std::optional(double(*value)) : std::nullopt;
}

/// A count is only known where cases were measured.
template <auto Member>
std::optional<double> counted_cases(const FleetUnit& device) {
  if (device.conditions.cases == 0) return std::nullopt;
  return double(device.conditions.*Member);
}

using E = Environment;
using C = FleetConditions;
constexpr auto kFacts = std::to_array<FleetFact>({
    {"ecc_corrected", "corrected memory errors", "of the device's life",
     recorded<&E::ecc_corrected>},
    {"ecc_uncorrected", "uncorrected memory errors", "of the device's life",
     recorded<&E::ecc_uncorrected>},
    {"remapped_rows", "remapped rows of memory", "of the device's life",
     recorded<&E::remapped_rows>},
    {"remap_pending", "row remap pending", "needs a reset", recorded<&E::remap_pending>, true},
    {"remap_failed", "row remap failed", "the memory has no spare rows left",
     recorded<&E::remap_failed>, true},
    {"nvlink_errors", "NVLink errors", "replays, recoveries and checksum errors of all links",
     recorded<&E::nvlink_errors>},
    {"pcie_replays", "PCIe replays", "since the driver was loaded", recorded<&E::pcie_replays>},
    {"temperature_c", "temperature", "highest of all cases, in °C",
     [](const FleetUnit& device) { return known(device.conditions.temperature_c); }},
    {"power_w", "power", "highest of all cases, in W",
     [](const FleetUnit& device) { return known(device.conditions.power_w); }},
    {"clock_hz", "SM clock", "median over the cases, in Hz",
     [](const FleetUnit& device) { return known(device.conditions.clock_hz); }},
    {"throttled_cases", "cases throttled by heat, power brake or hardware", "cases",
     counted_cases<&C::throttled>},
    {"failed_cases", "cases that fail", "WRONG, CRASHED, TIMEOUT or OUT_OF_MEMORY",
     counted_cases<&C::failed>},
    {"missing_cases", "measurements that most of its class have", "that it has not",
     [](const FleetUnit& device) { return std::optional(double(device.missing)); }},
});

bool holds(const NumberLimit& limit, double value) {
  using enum NumberLimit::Relation;
  switch (limit.relation) {
    case above:
      return value > limit.limit;
    case at_least:
      return value >= limit.limit;
    case below:
      return value < limit.limit;
    case at_most:
      return value <= limit.limit;
    case equal:
      return value == limit.limit;
    case unequal:
      return value != limit.limit;
  }
  return false;
}

Told told_of(const NumberLimit& limit, const FleetUnit& device) {
  const auto value = limit.fact->of(device);
  const std::string name(limit.fact->name);
  if (!value) return {Answer::unknown, name + " is not recorded"};
  return {holds(limit, *value) ? Answer::yes : Answer::no,
          fmt::format("{} {}, limit {}", name, shortest_text(*value), limit.text)};
}

/// Slower by the limit, and sure to be outside. Reasons of what cannot be told are the same for
/// many devices, so that they can be counted.
Told told_slower(const FleetRuleLine& rule, const Fleet& fleet, const FleetUnit& unit) {
  const FleetClass& of_class = fleet.class_of(unit);
  if (!of_class.not_judged.empty()) return {Answer::unknown, of_class.not_judged};
  const std::string percent = fmt::format("{:.4g} %", 100 * std::expm1(*rule.slower_by));
  Told told{Answer::no, ""};
  std::size_t measured = 0, slower = 0;
  constexpr std::size_t kMostNamed = 3;
  for (std::size_t i = 0; i < unit.cells.size(); ++i) {
    const FleetCell& cell = unit.cells[i];
    const std::string& family = of_class.families[i].name;
    if (!matches_pattern(family, rule.family) || std::isnan(cell.deviation)) continue;
    ++measured;
    if (cell.deviation < *rule.slower_by) continue;
    if (!cell.is_outside) {
      if (told.answer == Answer::no)
        told = {Answer::unknown,
                fmt::format("{} or more slower in {}, but that may be chance", percent, family)};
      continue;
    }
    if (told.answer != Answer::yes) told = {Answer::yes, ""};
    if (++slower > kMostNamed) continue;
    told.why += (told.why.empty() ? "" : ", ") + family + " " + deviation_text(cell.deviation);
  }
  if (slower > kMostNamed) told.why += fmt::format(" and {} more", slower - kMostNamed);
  if (measured == 0 && !unit.is_stale)
    return {Answer::unknown,
            fmt::format("no measurement of '{}' that enough of its class share", rule.family)};
  return told;
}

Told told_differs(const FleetRuleLine& rule, const Fleet& fleet, const FleetUnit& device) {
  const std::string own = rule.differs->text(device.environment);
  const auto& usual = fleet.class_of(device).usual;
  const auto found = usual.find(std::string(rule.differs->name));
  if (own.empty() || found == usual.end())
    return {Answer::unknown, std::string(rule.differs->name) + " is not recorded"};
  return {own == found->second ? Answer::no : Answer::yes,
          fmt::format("{} {}, most have {}", rule.differs->name, own, found->second)};
}

/// All conditions of a rule; the first "no" ends it.
Told told_by(const FleetRuleLine& rule, const Fleet& fleet, const FleetUnit& unit) {
  std::vector<Told> parts;
  if (rule.not_measured)
    parts.push_back({unit.is_stale ? Answer::yes : Answer::no,
                     "not measured since the night of " + unit.night});
  if (rule.slower_by) parts.push_back(told_slower(rule, fleet, unit));
  if (rule.differs) parts.push_back(told_differs(rule, fleet, unit));
  for (const NumberLimit& limit : rule.limits) parts.push_back(told_of(limit, unit));
  Told all;
  std::string unknown;
  for (const Told& part : parts) {
    if (part.answer == Answer::no) return {Answer::no, ""};
    std::string& text = part.answer == Answer::unknown ? unknown : all.why;
    text += (text.empty() ? "" : "; ") + part.why;
  }
  if (!unknown.empty()) return {Answer::unknown, unknown};
  return all;
}

/// A node is judged by its times; all else is of its devices.
bool is_of_times_alone(const FleetRuleLine& rule) {
  return rule.slower_by && rule.limits.empty() && !rule.differs && !rule.not_measured;
}

void drain_nodes(const Fleet& fleet, FleetDecision& decision) {
  std::map<std::string, std::vector<std::string>> hosts;
  for (const FleetHit& hit : decision.hits) {
    if (!hit.is_known || decision.rules[hit.rule].action != FleetAction::drain) continue;
    const FleetUnit& unit = fleet.units[hit.unit];
    const std::string of = unit.is_node ? "whole node" : unit.name;
    if (unit.host.empty())
      decision.unknown.push_back(unit.name + ": to be drained, but its host is not recorded");
    else
      hosts[unit.host].push_back(of + ": " + hit.why);
  }
  for (auto& [host, reasons] : hosts) decision.drained.push_back({host, std::move(reasons)});
}

}  // namespace

std::span<const FleetFact> fleet_facts() { return kFacts; }

std::string rule_text(const FleetRuleLine& rule) {
  std::vector<std::string> parts;
  if (rule.slower_by)
    parts.push_back(fmt::format("{} slower by {:.4g} %",
                                rule.family == "*" ? "any family" : "family " + rule.family,
                                100 * std::expm1(*rule.slower_by)));
  if (rule.not_measured) parts.push_back("not measured");
  if (rule.differs) parts.push_back(fmt::format("{} unlike most", rule.differs->name));
  for (const NumberLimit& limit : rule.limits)
    parts.push_back(fmt::format("{} {}", limit.fact->name, limit.text));
  return fmt::format("{}", fmt::join(parts, ", "));
}

FleetDecision decide(const Fleet& fleet, std::vector<FleetRuleLine> rules) {
  FleetDecision decision;
  decision.rules = std::move(rules);
  for (std::size_t r = 0; r < decision.rules.size(); ++r) {
    const FleetRuleLine& rule = decision.rules[r];
    std::map<std::string, std::size_t> unknown;  // units by reason
    std::size_t considered = 0;
    for (std::size_t i = 0; i < fleet.units.size(); ++i) {
      const FleetUnit& unit = fleet.units[i];
      if (unit.is_node && !is_of_times_alone(rule)) continue;
      if (!matches_pattern(fleet.class_of(unit).name, rule.device_class)) continue;
      ++considered;
      Told told = told_by(rule, fleet, unit);
      if (told.answer == Answer::no) continue;
      if (told.answer == Answer::unknown) {
        if (rule.ignores_unknown || unit.is_node) continue;
        ++unknown[told.why];
      }
      decision.hits.push_back({i, r, told.answer == Answer::yes, std::move(told.why)});
    }
    const std::string name = rule.name.empty() ? rule_text(rule) : rule.name;
    for (const auto& [why, count] : unknown)
      decision.unknown.push_back(
          fmt::format("{} ({}), {}: {}", rule.at, name, counted(count, "device"), why));
    if (considered == 0)
      decision.unknown.push_back(
          fmt::format("{} ({}): no device is of a class '{}'", rule.at, name, rule.device_class));
  }
  drain_nodes(fleet, decision);
  return decision;
}

std::string drain_command(const DrainedNode& node) {
  constexpr std::size_t kLongest = 200;
  std::string reason = fmt::format("plumbline: {}", fmt::join(node.reasons, "; "));
  for (char& c : reason)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  if (reason.size() > kLongest) reason = reason.substr(0, kLongest) + "...";
  return shell_command(
      {"scontrol", "update", "NodeName=" + node.host, "State=DRAIN", "Reason=" + reason});
}

}  // namespace plumbline
