#include "reports/fleet/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/fleet/texts.h"
#include "core/words.h"
#include "reports/fleet/map.h"
#include "reports/page.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostOutside = 300, kMostNamed = 12, kMostCells = 4;

PageData conditions_data(const FleetUnit& unit) {
  PageData parts = PageData::array();
  const FleetConditions& seen = unit.conditions;
  if (!std::isnan(seen.temperature_c))
    parts.push_back(fmt::format("{:.0f} °C", seen.temperature_c));
  if (!std::isnan(seen.power_w)) parts.push_back(fmt::format("{:.0f} W", seen.power_w));
  if (!std::isnan(seen.clock_hz)) parts.push_back(fmt::format("{:.0f} MHz", seen.clock_hz / 1e6));
  for (const auto& [reason, cases] : seen.throttle)
    parts.push_back(fmt::format("{} in {}", reason, counted(cases, "case")));
  if (seen.failed > 0)
    parts.push_back(fmt::format("{} failed: {}", counted(seen.failed, "case"), seen.first_failure));
  if (unit.missing > 0) parts.push_back(counted(unit.missing, "measurement") + " missing");
  if (unit.is_stale) parts.push_back("not measured since " + unit.night);
  for (const std::string& what : unit.differs) parts.push_back(what);
  return parts;
}

PageData outside_data(const Fleet& fleet) {
  PageData list = PageData::array();
  const std::vector<std::size_t> order = outside_first(fleet);
  for (const std::size_t i : order) {
    if (list.size() == kMostOutside) break;
    const FleetUnit& unit = fleet.units[i];
    PageData cells = PageData::array();
    for (const std::size_t k : cells_outside(unit, kMostCells)) {
      const FleetCell& cell = unit.cells[k];
      cells.push_back({{"family", fleet.family(unit, k)},
                       {"way", cell.deviation > 0 ? "slower" : "faster"},
                       {"deviation", deviation_text(cell.deviation)},
                       {"error", fmt::format("± {} %", percent_digits(258 * cell.today.error, 2))},
                       {"has_error", !std::isnan(cell.today.error)},
                       {"p", p_text(cell.p)},
                       {"since", since_text(cell)},
                       {"worst", cell.today.worst_case}});
    }
    list.push_back({{"host", unit.host.empty() ? "–" : unit.host},
                    {"name", unit.is_node ? "whole node" : unit.name},
                    {"cells", cells.empty() ? PageData() : PageData{{"list", std::move(cells)}}},
                    {"more", more_outside_text(unit, kMostCells)},
                    {"beside", conditions_data(unit)}});
  }
  if (list.empty()) return nullptr;
  const std::size_t left = order.size() - list.size();
  return {{"list", std::move(list)},
          {"left", left > 0 ? fmt::format("{} more are in the CSV and JSON.", left) : ""}};
}

PageData decision_data(const Fleet& fleet, const std::optional<FleetDecision>& decision) {
  if (!decision) return nullptr;
  PageData drained = PageData::array(), watched = PageData::array(), rules = PageData::array();
  for (const DrainedNode& node : decision->drained)
    drained.push_back(
        {{"host", node.host}, {"reasons", node.reasons}, {"command", drain_command(node)}});
  for (const FleetHit& hit : decision->hits) {
    const FleetUnit& unit = fleet.units[hit.unit];
    if (hit.is_known && decision->rules[hit.rule].action == FleetAction::watch)
      watched.push_back(fmt::format("{} {}: {}", unit.host, unit.name, hit.why));
  }
  for (const FleetRuleLine& rule : decision->rules)
    rules.push_back(fmt::format("{}: {}{}", rule.action == FleetAction::drain ? "drain" : "watch",
                                rule_text(rule), rule.name.empty() ? "" : " (" + rule.name + ")"));
  return {
      {"sentence",
       decision->drained.empty()
           ? "The rules drain no node."
           : fmt::format("The rules drain {}.", counted(decision->drained.size(), "node"))},
      {"drained", std::move(drained)},
      {"watched", watched.empty() ? PageData()
                                  : PageData{{"count", counted(watched.size(), "device")},
                                             {"list", std::move(watched)}}},
      {"unknown", decision->unknown.empty() ? PageData() : PageData{{"list", decision->unknown}}},
      {"rules", std::move(rules)}};
}

/// Devices by what their record says unlike most: "driver 570.1, most have 580.159": 10 devices.
PageData differences_data(const Fleet& fleet) {
  std::map<std::string, std::vector<std::string>> devices;
  for (const FleetUnit& unit : fleet.units)
    for (const std::string& what : unit.differs)
      devices[what].push_back(unit.host.empty() ? unit.name : unit.host + " " + unit.name);
  PageData list = PageData::array();
  for (const auto& [what, names] : devices) {
    const std::size_t shown = std::min(names.size(), kMostNamed);
    list.push_back(
        {{"what", what},
         {"count", counted(names.size(), "device")},
         {"names",
          fmt::format("{}{}", fmt::join(names.begin(), names.begin() + std::ptrdiff_t(shown), ", "),
                      names.size() > shown ? ", …" : "")}});
  }
  return list.empty() ? PageData() : PageData{{"list", std::move(list)}};
}

/// One row for each recorded number: how many devices have it, its range, and who has the most.
PageData facts_data(const Fleet& fleet) {
  PageData rows = PageData::array();
  for (const FleetFact& fact : fleet_facts()) {
    std::vector<std::pair<double, const FleetUnit*>> known;
    std::size_t devices = 0;
    for (const FleetUnit& unit : fleet.units) {
      if (unit.is_node) continue;
      ++devices;
      if (const auto value = fact.of(unit)) known.emplace_back(*value, &unit);
    }
    std::ranges::stable_sort(known, {}, [](const auto& one) { return one.first; });
    const auto text = [&](double value) {
      return fact.is_flag ? std::string(value != 0 ? "yes" : "no") : fmt::format("{:.6g}", value);
    };
    const bool is_low_bad = fact.name == "clock_hz";
    const bool differs = !known.empty() && known.front().first != known.back().first;
    const FleetUnit* const worst =
        differs ? (is_low_bad ? known.front() : known.back()).second : nullptr;
    rows.push_back({{"label", fact.label},
                    {"doc", fact.doc},
                    {"known", known.size() == devices ? "all"
                              : known.empty()         ? "none"
                                                      : std::to_string(known.size())},
                    {"least", known.empty() ? "–" : text(known.front().first)},
                    {"middle", known.empty() ? "–" : text(known[known.size() / 2].first)},
                    {"most", known.empty() ? "–" : text(known.back().first)},
                    {"worst", worst ? worst->host + " " + worst->name : ""}});
  }
  return rows;
}

std::string identity_text(const Fleet& fleet) {
  std::vector<std::string> classes;
  for (const FleetClass& of_class : fleet.classes)
    classes.push_back(fmt::format(
        "{} × {}, {}", of_class.devices, of_class.name,
        of_class.nights.size() == 1
            ? of_class.nights.front()
            : fmt::format("{} to {}", of_class.nights.front(), of_class.nights.back())));
  return fmt::format("{}", fmt::join(classes, " · "));
}

}  // namespace

std::string render_fleet(const Fleet& fleet, const std::optional<FleetDecision>& decision,
                         const std::string& title) {
  PageData remarks = PageData::array();
  for (const std::string& remark : fleet_remarks(fleet)) remarks.push_back(unbroken(remark));
  const PageData data{{"identity", identity_text(fleet)},
                      {"runs", counted(fleet.runs, "run")},
                      {"sentence", fleet_sentence(fleet)},
                      {"remarks", std::move(remarks)},
                      {"decision", decision_data(fleet, decision)},
                      {"outside", outside_data(fleet)},
                      {"tiles", tiles_data(fleet)},
                      {"maps", maps_data(fleet)},
                      {"differences", differences_data(fleet)},
                      {"facts", facts_data(fleet)}};
  return self_contained_page(title.empty() ? "Fleet · Plumbline" : title, fleet_assets(),
                             rendered("fleet/page", data));
}

}  // namespace plumbline
