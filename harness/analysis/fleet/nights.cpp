#include "analysis/fleet/nights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

#include "analysis/compare/compare.h"
#include "analysis/variance/noise_priors.h"
#include "core/run/direction.h"
#include "core/words.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// Standard error of a median of normal values over that of their mean.
constexpr double kMedianError = 1.2533;

/// Reasons of a throttle that no case causes by itself.
constexpr std::string_view kOutsideCauses[]{"hw_slowdown", "sw_thermal", "hw_thermal",
                                            "power_brake"};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return parts;
}

/// The environment of one device of a run: what a shard of a merged run says of it is the better
/// record.
Environment environment_of(const RunInfo& info, const std::string& uuid) {
  Environment environment = info.environment;
  for (const MergedShard& shard : info.shards) {
    if (std::ranges::find(shard.device_uuids, uuid) == shard.device_uuids.end()) continue;
    for (const auto& [name, text] : shard.environment)
      if (const EnvironmentField* field = environment_field(name)) field->read(text, environment);
    break;
  }
  environment.device_uuids = {uuid};
  return environment;
}

void add_conditions(const CaseSummary& row, FleetConditions& all, std::vector<double>& clocks) {
  ++all.cases;
  if (is_failure(row.status)) {
    ++all.failed;
    if (all.first_failure.empty())
      all.first_failure = fmt::format("{}: {} {}", row.case_id, name_of(row.status), row.reason);
  }
  all.temperature_c = std::fmax(all.temperature_c, row.temperature_c);
  all.power_w = std::fmax(all.power_w, row.power_w);
  if (std::isfinite(row.clock_hz)) clocks.push_back(row.clock_hz);
  bool is_throttled = false;
  for (const std::string& reason : split(row.throttle, '+')) {
    ++all.throttle[reason];
    is_throttled =
        is_throttled || std::ranges::find(kOutsideCauses, reason) != std::end(kOutsideCauses);
  }
  all.throttled += is_throttled;
}

/// Of the logarithm of a run's estimate: what its visits show, and what runs differ by.
double variance_of(const CaseSummary& row, std::string_view device_kind) {
  const double run_sd = noise_prior(device_kind, Sameness::same).run_sd;
  const double visits = std::isfinite(row.visit_sd) && row.rounds > 0
                            ? row.visit_sd * row.visit_sd / double(row.rounds)
                            : 0;
  return run_sd * run_sd + visits;
}

}  // namespace

struct FleetNights::Distance {
  std::uint32_t device, measurement;
  std::size_t family;
  double value, variance;
};

FleetNights::FleetNights(std::vector<std::string> metrics, std::size_t devices)
    : metrics_(std::move(metrics)), least_(devices) {}

std::size_t FleetNights::class_of(const Environment& environment) {
  const auto [place, is_new] =
      classes_.try_emplace(environment.device_class, series_.classes.size());
  if (is_new) {
    FleetClass& made = series_.classes.emplace_back();
    made.name = environment.device_class;
    made.device_kind = environment.device_kind;
    made.families.push_back({.name = kAllFamilies});
  }
  return place->second;
}

std::size_t FleetNights::device_of(const RunInfo& info, const std::string& uuid,
                                   const std::string& path) {
  Environment environment = environment_of(info, uuid);
  const auto [place, is_new] =
      devices_.try_emplace({uuid, environment.host}, series_.devices.size());
  if (is_new) series_.devices.emplace_back();
  FleetUnit& unit = series_.devices[place->second].unit;
  unit.name = uuid;
  unit.host = environment.host;
  unit.of_class = class_of(environment);
  unit.environment = std::move(environment);
  unit.run = path;
  if (measured_.insert(place->second).second) unit.conditions = {};
  return place->second;
}

void FleetNights::add_row(const RunInfo& info, const CaseSummary& row, std::size_t device) {
  const bool is_asked = metrics_.empty()
                            ? is_judged(row.metric)
                            : std::ranges::find(metrics_, row.metric) != metrics_.end();
  if (!is_asked || row.metric.empty() || is_failure(row.status) || !(row.estimate > 0)) return;
  const auto better = better_of(info, row.metric, row.unit);
  if (!better) {
    without_direction_.insert(row.metric);
    return;
  }
  const std::size_t of_class = series_.devices[device].unit.of_class;
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", of_class, row.suite, row.case_id, row.revision,
                  row.metric, row.unit, info.measurement_revision);
  const auto [place, is_new] =
      measurement_ids_.try_emplace(key, std::uint32_t(measurements_.size()));
  if (is_new) {
    std::vector<FleetFamily>& families = series_.classes[of_class].families;
    const auto found = std::find_if(families.begin() + 1, families.end(),
                                    [&](const FleetFamily& one) { return one.name == row.op; });
    const std::size_t family = std::size_t(found - families.begin());
    if (found == families.end()) families.push_back({.name = row.op});
    measurements_.push_back({row.case_id + " " + row.metric, of_class, family});
  }
  const double log = std::log(row.estimate);
  values_.push_back({place->second, std::uint32_t(device), *better == Better::more ? -log : log,
                     variance_of(row, series_.classes[of_class].device_kind)});
}

void FleetNights::add(const RunInfo& info, std::span<const CaseSummary> rows,
                      const std::string& path) {
  ++series_.runs;
  if (info.environment.device_class.empty()) {
    series_.notes.push_back(path + " names no device class and is left out");
    return;
  }
  const std::vector<std::string>& known = info.environment.device_uuids;
  std::map<std::string, std::pair<std::size_t, std::vector<double>>> devices;  // and clocks
  for (const CaseSummary& row : rows) {
    const std::string& uuid = row.device.empty() && known.size() == 1 ? known.front() : row.device;
    if (uuid.empty()) continue;
    const auto [place, is_new] = devices.try_emplace(uuid);
    if (is_new) place->second.first = device_of(info, uuid, path);
    add_conditions(row, series_.devices[place->second.first].unit.conditions, place->second.second);
    add_row(info, row, place->second.first);
  }
  if (devices.empty())
    series_.notes.push_back(path + " has no result of a device that it names, and is left out");
  for (auto& [uuid, device] : devices)
    if (!device.second.empty())
      series_.devices[device.first].unit.conditions.clock_hz = median(device.second);
}

/// `values_` are sorted by measurement, then device.
std::vector<FleetNights::Distance> FleetNights::distances() {
  std::vector<Distance> all;
  std::vector<double> logs;
  for (std::size_t begin = 0, end = 0; begin < values_.size(); begin = end) {
    const std::size_t first = all.size();
    const Measurement& of = measurements_[values_[begin].measurement];
    while (end < values_.size() && values_[end].measurement == values_[begin].measurement) {
      Distance one{values_[end].device, values_[end].measurement, of.family, 0, 0};
      std::size_t count = 0;  // a device may have measured it twice in a night
      for (; end < values_.size() && values_[end].measurement == one.measurement &&
             values_[end].device == one.device;
           ++end, ++count) {
        one.value += values_[end].log;
        one.variance += values_[end].variance;
      }
      one.value /= double(count);
      one.variance /= double(count * count);
      all.push_back(one);
    }
    logs.clear();
    for (std::size_t i = first; i < all.size(); ++i) logs.push_back(all[i].value);
    if (logs.size() < least_) {
      all.resize(first);
      continue;
    }
    const double middle = median(logs);
    for (std::size_t i = first; i < all.size(); ++i) all[i].value -= middle;
  }
  std::ranges::sort(all, [](const Distance& a, const Distance& b) {
    return std::tie(a.device, a.family, a.measurement) <
           std::tie(b.device, b.family, b.measurement);
  });
  return all;
}

/// `of_device`: its distances in this night, by family.
void FleetNights::keep(std::span<const Distance> of_device, std::size_t night) {
  DeviceSeries& series = series_.devices[of_device.front().device];
  FleetUnit& unit = series.unit;
  DeviceNight& kept = series.nights.emplace_back();
  kept.night = night;
  const std::size_t families = series_.classes[unit.of_class].families.size();
  kept.families.resize(families);
  unit.cells.assign(families, {});
  std::vector<double> values, of_families;
  double squares = 0;
  for (std::size_t begin = 0, end = 0; begin < of_device.size(); begin = end) {
    const std::size_t family = of_device[begin].family;
    FamilyDeviation& today = unit.cells[family].today;
    values.clear();
    double sum = 0;
    for (; end < of_device.size() && of_device[end].family == family; ++end) {
      values.push_back(of_device[end].value);
      sum += of_device[end].variance;
      if (today.count++ > 0 && std::abs(of_device[end].value) <= std::abs(today.worst)) continue;
      today.worst = of_device[end].value;
      today.worst_case = measurements_[of_device[end].measurement].name;
    }
    today.value = median(values);
    today.error = std::sqrt(sum) / double(values.size()) * (values.size() < 3 ? 1 : kMedianError);
    of_families.push_back(today.value);
    squares += today.error * today.error;
    kept.families[family] = {float(today.value), float(today.error), std::uint32_t(today.count)};
  }
  FamilyDeviation& whole = unit.cells.front().today;
  whole.count = of_device.size();
  whole.value = median(of_families);
  whole.error =
      std::sqrt(squares) / double(of_families.size()) * (of_families.size() < 3 ? 1 : kMedianError);
  kept.families.front() = {float(whole.value), float(whole.error), std::uint32_t(whole.count)};
}

/// Counts what most devices of a class measured in this night, and a device did not.
void FleetNights::set_missing() {
  std::map<std::size_t, std::size_t> devices, expected;  // by class
  for (const std::size_t device : measured_) ++devices[series_.devices[device].unit.of_class];
  std::vector<std::size_t> has(series_.devices.size());
  std::vector<std::uint32_t> held;
  for (std::size_t begin = 0, end = 0; begin < values_.size(); begin = end) {
    held.clear();
    for (; end < values_.size() && values_[end].measurement == values_[begin].measurement; ++end)
      if (held.empty() || held.back() != values_[end].device) held.push_back(values_[end].device);
    const std::size_t of_class = measurements_[values_[begin].measurement].of_class;
    if (2 * held.size() <= devices[of_class]) continue;
    ++expected[of_class];
    for (const std::uint32_t device : held) ++has[device];
  }
  for (const std::size_t device : measured_) {
    FleetUnit& unit = series_.devices[device].unit;
    unit.missing = expected[unit.of_class] - has[device];
  }
}

void FleetNights::end_night(const std::string& name) {
  std::map<std::size_t, std::size_t> nights;  // index of this night, by class
  for (const std::size_t device : measured_) {
    FleetUnit& unit = series_.devices[device].unit;
    unit.night = name;
    unit.cells.clear();
    FleetClass& of_class = series_.classes[unit.of_class];
    if (of_class.nights.empty() || of_class.nights.back() != name) of_class.nights.push_back(name);
    nights[unit.of_class] = of_class.nights.size() - 1;
  }
  std::ranges::sort(values_, [](const Value& a, const Value& b) {
    return std::tie(a.measurement, a.device) < std::tie(b.measurement, b.device);
  });
  set_missing();
  const std::vector<Distance> all = distances();
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].device == all[begin].device) ++end;
    keep(std::span(all).subspan(begin, end - begin),
         nights.at(series_.devices[all[begin].device].unit.of_class));
  }
  values_.clear();
  measured_.clear();
}

FleetSeries FleetNights::finish() && {
  for (const std::string& metric : without_direction_)
    series_.notes.push_back(unknown_direction_text(metric));
  for (DeviceSeries& device : series_.devices) {
    const FleetClass& of_class = series_.classes[device.unit.of_class];
    device.unit.cells.resize(of_class.families.size());
    device.unit.is_stale = device.unit.night != of_class.nights.back();
    for (DeviceNight& night : device.nights) night.families.resize(of_class.families.size());
  }
  return std::move(series_);
}

}  // namespace plumbline
