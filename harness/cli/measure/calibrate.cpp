/// plumbline calibrate: what a device reaches, so that times can be read as shares of it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "core/error.h"
#include "core/moment.h"
#include "core/words.h"
#include "reports/units.h"
#include "schedule/device_lock.h"
#include "store/file.h"
#include "workflow/plan/project.h"
#include "workflow/plan/worker_program.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

struct CalibrateFlags {
  WorkerRequest worker;
  std::string output;
  bool json = false;
};

/// What the values mean, in the order in which they are shown. A value's row is the first whose
/// beginning fits its name; values of later workers, that no row fits, come last.
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

std::string table_of(const Json& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values.items())
    if (!name.ends_with(kUncertainty)) names.push_back(name);
  std::ranges::stable_sort(names, {}, row_of);
  Table table({"name", "value", "±", "what it is"}, {false, true, true, false});
  for (const std::string& name : names) {
    const double value = values.at(name);
    const double half_width = values.value(name + std::string(kUncertainty), 0.0);
    table.add({{name},
               {quantity_text(value, unit_of(name), half_width)},
               {share_text(half_width / value)},
               {std::string(words_for(name))}});
  }
  return table.text();
}

/// What the worker measured, with the device that it is of. Throws Error for what is no such
/// record.
Json measured(const WorkerProgram& worker, const Device& device,
              const std::vector<std::string>& command) {
  const DeviceLock lock(
      device.environment.device_uuid(),
      fmt::format("'{}' (process {}, since {})", shell_command(command), getpid(), now_utc()));
  const Json said = Json::parse(worker.calibration(device));
  try {
    const auto values = said.at("values").get<std::map<std::string, double>>();
    if (values.empty()) throw Error("worker '" + worker.path() + "' could calibrate nothing");
    return {{"device", device.name},
            {"device_uuid", device.environment.device_uuid()},
            {"device_class", device.environment.device_class},
            {"measured_at", now_utc()},
            {"spent_s", said.at("spent_s").get<double>()},
            {"values", said.at("values")},
            {"absent", said.at("absent").get<std::map<std::string, std::string>>()}};
  } catch (const Json::exception& error) {
    throw Error("'" + worker.path() +
                " --calibrate' printed a record of another form: " + error.what());
  }
}

int calibrate(const CalibrateFlags& flags, const std::vector<std::string>& command) {
  if (!flags.output.empty()) require_writable(flags.output);
  const WorkerProgram worker = need_worker(flags.worker, find_project(".", {}).worker);
  Json records = Json::array();
  for (const Device& device : choose_devices(worker.devices(), flags.worker.device)) {
    say(fmt::format("calibrating {} ({})\n", device.name, device.environment.device_class));
    const Json record = measured(worker, device, command);
    for (const auto& [name, reason] : record.at("absent").items())
      print_note(name + " is absent: " + reason.get<std::string>());
    if (!flags.json) print_result(table_of(record.at("values")));
    records.push_back(record);
  }
  const std::string text = records.dump(1) + "\n";
  if (!flags.output.empty()) write_atomically(flags.output, text);
  if (flags.json) print_result(text);
  return kExitOk;
}

}  // namespace

Command calibrate_command() {
  return {"calibrate", "Measure what a device reaches: bandwidth, matrix products, launches",
          [](CLI::App& app) {
            auto flags = std::make_shared<CalibrateFlags>();
            add_worker_flags(app, flags->worker);
            app.add_option("-o,--output", flags->output, "write the values into this JSON file")
                ->type_name("FILE");
            app.add_flag("--json", flags->json, "print them as a JSON list, one record a device");
            return Action([flags](const auto& command) { return calibrate(*flags, command); });
          }};
}

}  // namespace plumbline
