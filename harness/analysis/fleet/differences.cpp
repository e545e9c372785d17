#include "analysis/fleet/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace plumbline {
namespace {

/// Entries that differ from device to device by their nature.
constexpr std::array<std::string_view, 3> kOwn{"device_uuid", "host", "boot_id"};

bool is_compared(const EnvironmentField& field) {
  using enum EnvironmentKind;
  const bool is_kind = field.kind == environment || field.kind == subject || field.kind == harness;
  return is_kind && std::ranges::find(kOwn, field.name) == kOwn.end();
}

/// The commonest text that is known; "" if none is.
std::string commonest(const std::map<std::string, std::size_t>& counts) {
  std::string best;
  std::size_t most = 0;
  for (const auto& [text, count] : counts)
    if (!text.empty() && count > most) {
      best = text;
      most = count;
    }
  return best;
}

/// The value of an entry that nearly all devices of a kind have, and nearly none of the others.
void tell_kinds(std::size_t of_class, const EnvironmentField& field, Fleet& fleet) {
  FleetClass& whole = fleet.classes[of_class];
  if (whole.kinds.size() < 2) return;
  std::vector<std::map<std::string, std::size_t>> counts(whole.kinds.size());
  std::map<std::string, std::size_t> all;
  for (const FleetUnit& unit : fleet.units) {
    if (unit.is_node || unit.is_stale || unit.of_class != of_class) continue;
    const std::string text = field.text(unit.environment);
    ++counts[unit.kind][text];
    ++all[text];
  }
  constexpr double kNearlyAll = 0.9;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    const std::string text = commonest(counts[kind]);
    if (text.empty()) continue;
    const double own = double(counts[kind][text]), devices = double(whole.kinds[kind].devices);
    const double share = own / devices, elsewhere = double(all[text]) - own;
    if (share >= kNearlyAll && elsewhere <= (1 - kNearlyAll) * devices)
      whole.kinds[kind].differs.push_back(fmt::format("{} {}", field.label, text));
  }
}

}  // namespace

void add_conditions(const FleetConditions& device, FleetConditions& node) {
  node.temperature_c = std::fmax(node.temperature_c, device.temperature_c);
  node.power_w = std::fmax(node.power_w, device.power_w);
  node.clock_hz = std::fmin(node.clock_hz, device.clock_hz);
  node.cases += device.cases;
  node.failed += device.failed;
  node.throttled += device.throttled;
  for (const auto& [reason, count] : device.throttle) node.throttle[reason] += count;
  if (node.first_failure.empty()) node.first_failure = device.first_failure;
}

void tell_differences(Fleet& fleet) {
  for (const EnvironmentField& field : environment_fields()) {
    if (!is_compared(field)) continue;
    const std::string name(field.name);
    std::vector<std::map<std::string, std::size_t>> counts(fleet.classes.size());
    for (const FleetUnit& unit : fleet.units)
      if (!unit.is_node) ++counts[unit.of_class][field.text(unit.environment)];
    for (std::size_t i = 0; i < fleet.classes.size(); ++i) {
      const std::string usual = commonest(counts[i]);
      if (!usual.empty()) fleet.classes[i].usual[name] = usual;
      tell_kinds(i, field, fleet);
    }
    for (FleetUnit& unit : fleet.units) {
      if (unit.is_node) continue;
      const auto& known = fleet.classes[unit.of_class].usual;
      const auto usual = known.find(name);
      const std::string own = field.text(unit.environment);
      if (usual != known.end() && !own.empty() && own != usual->second)
        unit.differs.push_back(fmt::format("{} {}, most have {}", field.label, own, usual->second));
    }
  }
}

}  // namespace plumbline
