#include "analysis/devices/device_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "analysis/estimate/achieved.h"
#include "core/error.h"

namespace plumbline {
namespace {

/// Entries of the environment that describe neither the device nor the computed work.
constexpr std::array<std::string_view, 6> kStack{"driver", "cuda_driver", "allocator",
                                                 "os",     "kernel",      "cpu"};

/// Entries that distinguish runs of one model, in the order in which they are tried.
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

/// The run's device model, or its class if runs of that model have different classes.
std::string name_of(const Run& run, std::span<const Run> runs) {
  const Environment& own = run.info.environment;
  const bool is_told = std::ranges::none_of(runs, [&](const Run& other) {
    return other.info.environment.device_model == own.device_model &&
           other.info.environment.device_class != own.device_class;
  });
  return is_told && !own.device_model.empty() ? own.device_model : model_of(run);
}

/// A short form of a card's UUID: "GPU-b35e8db1".
std::string short_text(std::string_view name, const std::string& value) {
  constexpr std::size_t kPrefix = 12;
  return name == "device_uuid" && value.starts_with("GPU-") ? value.substr(0, kPrefix) : value;
}

/// Distinguishes columns of the same name: by the first entry that differs, else by number.
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
          const std::string value = short_text(name, field.text(environment_of(same)));
          same.name += " (" + (value.empty() ? "unknown" : value) + ")";
        }
    }
  }
  std::map<std::string, int> seen;
  for (DeviceColumn& column : columns)
    if (const int count = ++seen[column.name]; count > 1)
      column.name += " #" + std::to_string(count);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// How well a name fits a column: "B200" is a word of "NVIDIA B200" and a part of "NVIDIA GB200".
enum class Fit { none, part, words, whole };

Fit fit_of(std::string_view column, std::string_view name) {
  if (column == name) return Fit::whole;
  Fit best = Fit::none;
  for (auto rest = column; !name.empty();) {
    const auto found = std::ranges::search(rest, name, {}, lower, lower);
    if (found.begin() == rest.end()) break;
    const bool starts = found.begin() == column.begin() || !is_of_word(found.begin()[-1]);
    const bool ends = found.end() == column.end() || !is_of_word(*found.end());
    if (starts && ends) return Fit::words;
    best = Fit::part;
    rest = {found.begin() + 1, rest.end()};
  }
  return best;
}

/// The columns that a name fits best.
std::vector<std::size_t> fitting(const std::vector<DeviceColumn>& columns,
                                 const std::string& name) {
  std::vector<std::size_t> fits;
  for (const Fit fit : {Fit::whole, Fit::words, Fit::part}) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (fit_of(columns[i].name, name) == fit) fits.push_back(i);
    if (!fits.empty()) break;
  }
  return fits;
}

[[noreturn]] void fail_to_fit(const std::vector<DeviceColumn>& columns, const std::string& name,
                              std::string_view flag, std::size_t fits) {
  std::string all;
  for (const DeviceColumn& column : columns) all += (all.empty() ? "'" : ", '") + column.name + "'";
  throw Error(fmt::format("{} {}: fits {} of the devices; expected one of {}", flag, name,
                          fits == 0 ? "none" : std::to_string(fits), all));
}

/// Sets the number for all cards and runs of a model.
void set_of_model(std::vector<DeviceColumn>& columns, std::string_view flag,
                  const NamedNumber& given, std::optional<double> DeviceColumn::*member) {
  const std::vector<std::size_t> fits = fitting(columns, given.name);
  for (const std::size_t i : fits)
    if (model_of(*columns[i].run) != model_of(*columns[fits.front()].run))
      fail_to_fit(columns, given.name, flag, fits.size());
  if (fits.empty()) fail_to_fit(columns, given.name, flag, 0);
  for (const std::size_t i : fits) columns[i].*member = given.value;
}

}  // namespace

std::size_t column_named(const std::vector<DeviceColumn>& columns, const std::string& name,
                         std::string_view flag) {
  const std::vector<std::size_t> fits = fitting(columns, name);
  if (fits.size() != 1) fail_to_fit(columns, name, flag, fits.size());
  return fits.front();
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
    column.name = i < options.variants.size() ? options.variants[i] : name_of(run, runs);
    column.is_calibrated = !std::isnan(calibrated(run.info, "copy_bytes_per_s").value);
  }
  tell_apart(columns, options.variants.empty());
  for (const NamedNumber& price : options.prices)
    set_of_model(columns, "--price", price, &DeviceColumn::price_per_h);
  for (const NamedNumber& power : options.powers)
    set_of_model(columns, "--power", power, &DeviceColumn::power_w);
  return columns;
}

}  // namespace plumbline
