#include "store/verdict/fleet_file.h"

#include <cmath>
#include <functional>

#include "analysis/fleet/texts.h"
#include "store/csv/column.h"
#include "store/csv/csv_writer.h"
#include "store/json/json_fields.h"

namespace plumbline {
namespace {

std::optional<double> known(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// A logarithm as a fraction.
std::optional<double> fraction(double log) { return known(std::expm1(log)); }

}  // namespace

void describe(JsonWriter& io, const FleetFamily& family) {
  io("family", family.name);
  io("spread", known(family.spread));
  io("node_spread", known(family.node_spread));
  io("degrees_of_freedom", family.df);
  io("found_half_the_time", fraction(family.seen));
}

void describe(JsonWriter& io, const FleetKind& kind) {
  io("devices", kind.devices);
  std::vector<std::optional<double>> offsets;
  for (const double offset : kind.offset) offsets.push_back(fraction(offset));
  io("deviation_by_family", offsets);
  io("differs", kind.differs);
}

void describe(JsonWriter& io, const FleetClass& of_class) {
  io("name", of_class.name);
  io("devices", of_class.devices);
  io("nodes", of_class.nodes);
  io("nights", of_class.nights);
  io("not_judged", of_class.not_judged);
  io("families", of_class.families);
  io("kinds", of_class.kinds);
  io("usual", of_class.usual);
}

void describe(JsonWriter& io, const FleetConditions& conditions) {
  io("temperature_c", known(conditions.temperature_c));
  io("power_w", known(conditions.power_w));
  io("clock_hz", known(conditions.clock_hz));
  io("cases", conditions.cases);
  io("failed_cases", conditions.failed);
  io("throttled_cases", conditions.throttled);
  io("throttle", conditions.throttle);
  io("first_failure", conditions.first_failure);
}

void describe(JsonWriter& io, const DrainedNode& node) {
  io("host", node.host);
  io("reasons", node.reasons);
  io("command", drain_command(node));
}

namespace {

Json cell_json(const Fleet& fleet, const FleetUnit& unit, std::size_t i) {
  const FleetCell& cell = unit.cells[i];
  JsonWriter io;
  io("family", fleet.family(unit, i));
  io("measurements", cell.today.count);
  io("deviation", fraction(cell.deviation));
  io("error", known(cell.today.error));
  io("z", known(cell.z));
  io("adjusted_p", cell.p);
  io("outside", cell.is_outside);
  io("since", cell.since);
  io("nights", cell.nights);
  io("nights_outside", cell.nights_out);
  io("before", fraction(cell.before));
  io("worst_case", cell.today.worst_case);
  io("worst", fraction(cell.today.worst));
  return io.object();
}

Json unit_json(const Fleet& fleet, const FleetUnit& unit) {
  JsonWriter io;
  io("name", unit.name);
  io("is_node", unit.is_node);
  io("host", unit.host);
  io("device_class", fleet.class_of(unit).name);
  io("kind", unit.kind + 1);
  io("night", unit.night);
  io("run", unit.run);
  io("stale", unit.is_stale);
  io("outside", unit.is_outside());
  io("slower", unit.is_slower());
  io("missing", unit.missing);
  io("conditions", unit.conditions);
  io("differs", unit.differs);
  if (!unit.is_node)
    for (const FleetFact& fact : fleet_facts()) io(fact.name, fact.of(unit));
  Json json = io.object();
  Json cells = Json::array();
  for (std::size_t i = 0; i < unit.cells.size(); ++i)
    if (!std::isnan(unit.cells[i].deviation)) cells.push_back(cell_json(fleet, unit, i));
  json["families"] = std::move(cells);
  return json;
}

Json decision_json(const Fleet& fleet, const FleetDecision& decision) {
  Json hits = Json::array();
  for (const FleetHit& hit : decision.hits) {
    const FleetRuleLine& rule = decision.rules[hit.rule];
    hits.push_back({{"rule", rule.name.empty() ? rule_text(rule) : rule.name},
                    {"at", rule.at},
                    {"action", rule.action == FleetAction::drain ? "drain" : "watch"},
                    {"device", fleet.units[hit.unit].name},
                    {"host", fleet.units[hit.unit].host},
                    {"known", hit.is_known},
                    {"why", hit.why}});
  }
  JsonWriter io;
  io("drain", decision.drained);
  io("unknown", decision.unknown);
  Json json = io.object();
  json["hits"] = std::move(hits);
  return json;
}

/// The columns of the CSV.
struct Field {
  std::string_view name;
  std::function<std::string(const Fleet&, const FleetUnit&, std::size_t)> text;
};

std::string number_field(std::optional<double> number) {
  std::string text;
  if (number) append_number(text, *number);
  return text;
}

Field of_cell(std::string_view name, const std::function<std::string(const FleetCell&)>& text) {
  return {name, [text](const Fleet&, const FleetUnit& unit, std::size_t i) {
            return text(unit.cells[i]);
          }};
}

Field of_unit(std::string_view name, const std::function<std::string(const FleetUnit&)>& text) {
  return {name, [text](const Fleet&, const FleetUnit& unit, std::size_t) { return text(unit); }};
}

const std::vector<Field>& fields() {
  static const std::vector<Field> kFields{
      of_unit("name", [](const FleetUnit& u) { return u.name; }),
      of_unit("is_node", [](const FleetUnit& u) { return std::string(u.is_node ? "yes" : "no"); }),
      of_unit("host", [](const FleetUnit& u) { return u.host; }),
      {"device_class",
       [](const Fleet& fleet, const FleetUnit& u, std::size_t) { return fleet.class_of(u).name; }},
      of_unit("kind", [](const FleetUnit& u) { return std::to_string(u.kind + 1); }),
      of_unit("night", [](const FleetUnit& u) { return u.night; }),
      {"family",
       [](const Fleet& fleet, const FleetUnit& u, std::size_t i) { return fleet.family(u, i); }},
      of_cell("measurements", [](const FleetCell& c) { return std::to_string(c.today.count); }),
      of_cell("deviation", [](const FleetCell& c) { return number_field(fraction(c.deviation)); }),
      of_cell("error", [](const FleetCell& c) { return number_field(known(c.today.error)); }),
      of_cell("adjusted_p", [](const FleetCell& c) { return number_field(c.p); }),
      of_cell("outside",
              [](const FleetCell& c) { return std::string(c.is_outside ? "yes" : "no"); }),
      of_cell("since", [](const FleetCell& c) { return c.since; }),
      of_unit("temperature_c",
              [](const FleetUnit& u) { return number_field(known(u.conditions.temperature_c)); }),
      of_unit("clock_hz",
              [](const FleetUnit& u) { return number_field(known(u.conditions.clock_hz)); }),
      of_unit("throttled_cases",
              [](const FleetUnit& u) { return std::to_string(u.conditions.throttled); }),
      of_unit("failed_cases",
              [](const FleetUnit& u) { return std::to_string(u.conditions.failed); }),
  };
  return kFields;
}

}  // namespace

std::string fleet_json(const Fleet& fleet, const std::optional<FleetDecision>& decision) {
  JsonWriter io;
  io("format", 1);
  io("answer", fleet_sentence(fleet));
  io("false_outlier_rate", fleet.rule.rate);
  io("least_deviation", fraction(fleet.rule.least));
  io("tests", fleet.tests);
  io("runs", fleet.runs);
  io("remarks", fleet_remarks(fleet));
  io("classes", fleet.classes);
  Json json = io.object();
  Json units = Json::array();
  for (const FleetUnit& unit : fleet.units) units.push_back(unit_json(fleet, unit));
  json["units"] = std::move(units);
  if (decision) json["decision"] = decision_json(fleet, *decision);
  return json_text(json);
}

std::string fleet_csv(const Fleet& fleet) {
  std::string out;
  for (const Field& field : fields())
    append_csv_field(out, field.name, &field == &fields().front());
  end_csv_row(out);
  for (const FleetUnit& unit : fleet.units)
    for (std::size_t i = 0; i < unit.cells.size(); ++i) {
      if (std::isnan(unit.cells[i].deviation)) continue;
      for (const Field& field : fields())
        append_csv_field(out, field.text(fleet, unit, i), &field == &fields().front());
      end_csv_row(out);
    }
  return out;
}

}  // namespace plumbline
