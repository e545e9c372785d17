#include "analysis/devices/device_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/estimate/achieved.h"
#include "core/error.h"

namespace plumbline {
namespace {

/// Entries of the environment that are neither the device nor what is computed on it.
constexpr std::array<std::string_view, 6> kStack{"driver", "cuda_driver", "allocator",
                                                 "os",     "kernel",      "cpu"};

/// What tells runs of one model apart, in the order in which it is tried.
constexpr const char* kDistinctions[]{"power_limit_w", "mig",      "driver",
                                      "commit",        "libtorch", "device_uuid"};

const Environment& environment_of(const DeviceColumn& column) {
  return column.run->info.environment;
}

std::string model_of(const Run& run) {
  const Environment& environment = run.info.environment;
  if (!environment.device_class.empty()) return environment.device_class;
  return environment.device_model.empty() ? run.path : environment.device_model;
}

/// Names of their own for columns of one name: by the first entry that differs, else by number.
void tell_apart(std::vector<DeviceColumn>& columns, bool by_environment) {
  for (const char* const name : kDistinctions) {
    if (!by_environment) break;
    const EnvironmentField& field = *environment_field(name);
    for (DeviceColumn& column : columns) {
      const std::string own = field.text(environment_of(column));
      const bool differs = std::ranges::any_of(columns, [&](const DeviceColumn& other) {
        return other.name == column.name && field.text(environment_of(other)) != own;
      });
      if (!differs) continue;
      const std::string shared = column.name;
      for (DeviceColumn& same : columns)
        if (same.name == shared) {
          const std::string value = field.text(environment_of(same));
          same.name += " (" + (value.empty() ? "unknown" : value) + ")";
        }
    }
  }
  std::map<std::string, int> seen;
  for (DeviceColumn& column : columns)
    if (const int count = ++seen[column.name]; count > 1)
      column.name += " #" + std::to_string(count);
}

bool holds(std::string_view text, std::string_view part) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  return std::ranges::search(text, part, {}, lower, lower).begin() != text.end();
}

}  // namespace

std::size_t column_named(const std::vector<DeviceColumn>& columns, const std::string& name,
                         std::string_view flag) {
  std::vector<std::size_t> fits;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
    if (holds(columns[i].name, name)) fits.push_back(i);
  }
  if (fits.size() == 1) return fits.front();
  std::string all;
  for (const DeviceColumn& column : columns) all += (all.empty() ? "'" : ", '") + column.name + "'";
  throw Error(fmt::format("{} {}: fits {} of the devices; expected one of {}", flag, name,
                          fits.empty() ? "none" : std::to_string(fits.size()), all));
}

bool is_stack(const EnvironmentChange& change) {
  if (change.name.starts_with("suite.") || change.name.starts_with("source.")) return false;
  return change.kind == "subject" || change.name.starts_with("policy.") ||
         std::ranges::find(kStack, change.name) != kStack.end();
}

std::vector<DeviceColumn> columns_of(std::span<const Run> runs, const DeviceOptions& options) {
  std::vector<DeviceColumn> columns;
  for (const Run& run : runs) {
    DeviceColumn& column = columns.emplace_back();
    column.run = &run;
    const std::size_t i = columns.size() - 1;
    column.name = i < options.variants.size() ? options.variants[i] : model_of(run);
    column.is_calibrated = !std::isnan(calibrated(run.info, "copy_bytes_per_s").value);
  }
  tell_apart(columns, options.variants.empty());
  for (const NamedNumber& price : options.prices)
    columns[column_named(columns, price.name, "--price")].price_per_h = price.value;
  for (const NamedNumber& power : options.powers)
    columns[column_named(columns, power.name, "--power")].power_w = power.value;
  return columns;
}

}  // namespace plumbline
