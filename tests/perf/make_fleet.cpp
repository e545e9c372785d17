/// make_fleet FOLDER DEVICES NIGHTS [SHARDED]: nights of a fleet whose truth is known
/// (support/simulated_fleet.h), for timing and judging what reads them.
///
///   FOLDER/nights/…      each device measures the same 153 cases in each night
///   FOLDER/before/…      one night of a suite of DEVICES × 153 cases in shards, one on each device
///   FOLDER/now/…         the night after it; both only if SHARDED is "yes"
///   FOLDER/truth.json    what was planted
///
/// One device of 50 (at least one) is 5 % slower in all families from the second night on, and so
/// is the second node of fleets of 30 and more. In the last night, and in `now`, every twentieth
/// case is 5 % slower on all devices. In `nights`, results.csv is the same file in all runs,
/// because histories and fleets read summaries.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "store/run/run_json.h"
#include "store/run/run_writer.h"
#include "store/run/summary.h"
#include "support/run_files.h"
#include "support/simulated_fleet.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

FleetModel model_of(std::size_t devices, std::size_t nights) {
  FleetModel model;
  model.devices = devices;
  model.nights = nights;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, devices / 50); ++i)
    model.slow_devices.push_back(devices - 1 - 49 * i);
  if (devices >= 30) model.slow_nodes = {1};
  model.slow_from = 1;
  model.regression = std::log(1.05);
  return model;
}

std::string number(std::size_t i) { return std::to_string(1'000'000 + i).substr(1); }

/// The rows of a device's run. `suffix`: of the ids, for a suite that shards share.
std::vector<ResultRow> rows_of(SimulatedFleet& fleet, std::size_t device, std::size_t night,
                               const std::string& suffix) {
  std::vector<ResultRow> rows;
  std::vector<std::vector<double>> visits;
  for (std::size_t i = 0; i < fleet.model().cases; ++i)
    visits.push_back(fleet.visits(device, night, i));
  for (std::size_t round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < visits.size(); ++i) {
      ResultRow& row = rows.emplace_back();
      row.suite = "fleet";
      row.case_id = fleet.case_id(i) + suffix;
      row.op = "op" + std::to_string(fleet.family_of(i));
      row.backend = "libtorch";
      row.revision = "1";
      row.device = SimulatedFleet::uuid(device);
      row.metric = "gpu_time_cold";
      row.unit = "s";
      row.round = std::int64_t(round);
      row.order = std::int64_t(i);
      row.worker = "timing:" + std::to_string(round);
      row.temperature_c = 55;
      row.power_w = 500;
      const double value = visits[i][round];
      for (int block = 0; block < 2; ++block) {
        row.samples.add_block({&value, 1});
        row.block_clocks_hz.push_back(1.98e9);
        row.block_causes.emplace_back();
      }
    }
  return rows;
}

std::vector<std::string> ids_of(const std::vector<ResultRow>& rows) {
  std::vector<std::string> ids;
  for (const ResultRow& row : rows)
    if (row.round == 0) ids.push_back(row.case_id);
  return ids;
}

Run run_of(SimulatedFleet& fleet, std::size_t device, std::size_t night) {
  Run run;
  run.info = fleet.info(device, night);
  run.info.plumbline = PLUMBLINE_VERSION;
  run.rows = rows_of(fleet, device, night, "");
  run.info.suites = {{"fleet", "fleet.yaml", "00000000deadbeef"}};
  run.info.suites[0].cases = ids_of(run.rows);
  run.info.asked.emplace();
  return run;
}

void make_nights(const std::string& folder, SimulatedFleet& fleet) {
  fs::create_directories(folder);
  std::string first;
  for (std::size_t night = 0; night < fleet.model().nights; ++night)
    for (std::size_t device = 0; device < fleet.model().devices; ++device) {
      Run run = run_of(fleet, device, night);
      run.path = folder + "/night-" + number(night) + "-device-" + number(device);
      if (device == 0) {  // these can be compared
        write_run(run, run.path);
        if (first.empty()) first = run.path;
        continue;
      }
      fs::create_directories(run.path);
      fs::create_hard_link(first + "/results.csv", run.path + "/results.csv");
      RunFile file = read_run_json(first + "/run.json");
      file.info = run.info;
      write_file(run.path + "/run.json", run_json_text(file));
      write_summary(run, file.results->hash);
    }
}

void make_shards(const std::string& folder, SimulatedFleet& fleet, std::size_t night) {
  fs::create_directories(folder);
  const std::size_t devices = fleet.model().devices, cases = fleet.model().cases;
  for (std::size_t device = 0; device < devices; ++device) {
    Run run = run_of(fleet, device, night);
    run.rows = rows_of(fleet, device, night, "/shard=" + std::to_string(device));
    SuiteRef& suite = run.info.suites[0];
    suite.cases = ids_of(run.rows);
    for (std::size_t i = 0; i < cases; ++i)
      suite.positions.push_back(std::int64_t(device * cases + i));
    run.info.shard = std::to_string(device + 1) + "/" + std::to_string(devices);
    run.info.selected_cases = std::int64_t(devices * cases);
    run.info.planned_visits = std::int64_t(3 * cases);
    write_run(run, folder + "/" + number(device));
  }
}

void write_truth(const std::string& folder, const SimulatedFleet& fleet) {
  std::string text = "{\"devices\": [";
  for (std::size_t device = 0; device < fleet.model().devices; ++device)
    if (fleet.is_slow(device))
      text += (text.back() == '[' ? "\"" : ", \"") + SimulatedFleet::uuid(device) + "\"";
  write_file(folder + "/truth.json", text + "]}\n");
}

void make_fleet(const std::string& folder, std::size_t devices, std::size_t nights, bool sharded) {
  SimulatedFleet fleet(model_of(devices, nights));
  fs::create_directories(folder);
  make_nights(folder + "/nights", fleet);
  if (sharded) {
    make_shards(folder + "/before", fleet, nights - 2);
    make_shards(folder + "/now", fleet, nights - 1);
  }
  write_truth(folder, fleet);
}

}  // namespace
}  // namespace plumbline

int main(int count, char** values) {
  if (count < 4 || count > 5 || std::stoul(values[3]) < 2) {
    std::fprintf(stderr, "make_fleet FOLDER DEVICES NIGHTS [yes], at least two nights\n");
    return 2;
  }
  try {
    plumbline::make_fleet(values[1], std::stoul(values[2]), std::stoul(values[3]),
                          count == 5 && std::string(values[4]) == "yes");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
