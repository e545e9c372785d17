#include "workflow/bundle/reader_machine.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "workflow/bundle/fitness.h"
#include "workflow/setup/project.h"
#include "workflow/setup/worker_program.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The device that was asked for, else the first of the class that was measured, else any.
const WorkerDevice* device_for(const std::vector<WorkerDevice>& devices, const std::string& wanted,
                               const Environment& recorded) {
  if (devices.empty()) return nullptr;
  if (!wanted.empty() && wanted != "auto") {
    const auto chosen = choose_devices(devices, wanted);
    return &*std::ranges::find(devices, chosen.front().name, &WorkerDevice::name);
  }
  const auto fits = std::ranges::find_if(devices, [&](const WorkerDevice& device) {
    return device_difference(recorded, device.environment).empty();
  });
  return fits != devices.end() ? &*fits : &devices.front();
}

}  // namespace

Machine machine_for(const RunRequest& run, const SidesOptions& sides,
                    const std::array<const Environment*, 2>& recorded) {
  const Project project = find_project(".", run.places);
  Machine machine;
  for (const std::size_t i : {0, 1}) {
    WorkerRequest flags = run.worker;
    if (!sides.sides[i].worker.empty()) flags.worker = sides.sides[i].worker;
    const auto worker = find_worker(flags, project.worker);
    if (!worker) {
      machine.missing =
          "this machine has no plumbline-worker (`plumbline doctor` says how to get one)";
      return machine;
    }
    const std::vector<WorkerDevice> devices = worker->devices();
    const std::string wanted =
        machine.device.empty() ? wanted_device(run.worker, project) : machine.device;
    const WorkerDevice* const device = device_for(devices, wanted, *recorded[i]);
    if (device == nullptr) {
      machine.missing = "this machine has no device";
      return machine;
    }
    machine.device = device->name;
    machine.workers[i] = fs::absolute(worker->path()).string();
    machine.hashes[i] = worker->hash();
    machine.environments[i] = device->environment;
    machine.environments[i].worker_hash = machine.hashes[i];
  }
  return machine;
}

}  // namespace plumbline
