/// plumbline calibrate: measures a device's peaks, so that times can be read as shares of them.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "reports/units.h"
#include "store/file.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/machine/calibration.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

struct CalibrateFlags {
  WorkerRequest worker;
  std::string output;
  bool json = false;
};

/// Descriptions of the values, in the order of the output. A value belongs to the first row with a
/// matching beginning. Values without a row, from newer workers, come last.
struct Meaning {
  std::string_view begin, words;
};
constexpr Meaning kMeanings[] = {
    {"copy_", "memory: bytes read and bytes written by a copy"},
    {"read_", "memory: bytes read"},
    {"write_", "memory: bytes written"},
    {"h2d_pageable", "host to device, pageable memory"},
    {"d2h_pageable", "device to host, pageable memory"},
    {"h2d_", "host to device, pinned memory"},
    {"d2h_", "device to host, pinned memory"},
    {"launch_", "one empty kernel after the other, each"},
    {"event_floor", "what a pair of events reads beyond the kernel"},
    {"matmul_", "square products, sustained within the power limit"},
    {"", ""},
};
constexpr std::string_view kUncertainty = "_uncertainty";
constexpr std::string_view kBurst = "_burst_flops_per_s";

std::size_t row_of(std::string_view name) {
  std::size_t row = 0;
  while (!name.starts_with(kMeanings[row].begin)) ++row;
  return row;
}

std::string_view words_for(std::string_view name) {
  return name.ends_with(kBurst) ? "square products, each after a pause"
                                : kMeanings[row_of(name)].words;
}

std::string_view unit_of(std::string_view name) {
  if (name.ends_with("_bytes_per_s")) return "B/s";
  if (name.ends_with("_flops_per_s")) return "FLOP/s";
  return "s";
}

std::string table_of(const DeviceCalibration& made) {
  auto values = made.values;
  std::ranges::stable_sort(values, {}, [](const auto& value) { return row_of(value.first); });
  Table table({{"name"}, {"value", Fit::number}, {"±", Fit::number}, {"what it is", Fit::text}});
  for (const auto& [name, value] : values) {
    if (name.ends_with(kUncertainty)) continue;
    const auto known = std::ranges::find(values, name + std::string(kUncertainty),
                                         &std::pair<std::string, double>::first);
    const double half_width = known == values.end() ? 0 : known->second;
    table.add({{name},
               {quantity_text(value, unit_of(name), half_width)},
               {share_text(half_width / value)},
               {std::string(words_for(name))}});
  }
  return table.text();
}

Json record_of(const DeviceCalibration& made) {
  Json values = Json::object();
  for (const auto& [name, value] : made.values) values[name] = value;
  return {{"device", made.device},
          {"device_uuid", made.device_uuid},
          {"device_class", made.device_class},
          {"measured_at", made.measured_at},
          {"spent_s", made.spent_s},
          {"values", values},
          {"absent", made.absent}};
}

int calibrate_and_show(const CalibrateFlags& flags, const std::vector<std::string>& command) {
  if (!flags.output.empty()) require_writable(flags.output);
  ConsoleTalk talk;
  Json records = Json::array();
  calibrate(flags.worker, command, talk, [&](const DeviceCalibration& made) {
    for (const auto& [name, reason] : made.absent) print_note(name + " is absent: " + reason);
    if (!flags.json) print_result(table_of(made));
    records.push_back(record_of(made));
  });
  const std::string text = records.dump(1) + "\n";
  if (!flags.output.empty()) write_atomically(flags.output, text);
  if (flags.json) print_result(text);
  return kExitOk;
}

}  // namespace

Command calibrate_command() {
  return {
      "calibrate", "Measure what a device reaches: bandwidth, matrix products, launches",
      [](CLI::App& app) {
        auto flags = std::make_shared<CalibrateFlags>();
        add_worker_flags(app, flags->worker);
        app.add_option("-o,--output", flags->output, "write the values into this JSON file")
            ->type_name("FILE");
        app.add_flag("--json", flags->json, "print them as a JSON list, one record a device");
        return Action([flags](const auto& command) { return calibrate_and_show(*flags, command); });
      }};
}

}  // namespace plumbline
