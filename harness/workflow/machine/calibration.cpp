#include "workflow/machine/calibration.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/moment.h"
#include "workflow/setup/project.h"
#include "workflow/setup/run_plan.h"

namespace plumbline {
namespace {

DeviceCalibration measured(const WorkerProgram& worker, const WorkerDevice& device,
                           const std::vector<std::string>& command) {
  const auto locks = lock_devices({device}, command);
  const auto said = nlohmann::ordered_json::parse(worker.calibration(device));
  try {
    DeviceCalibration made{device.name,
                           device.environment.device_uuid(),
                           device.environment.device_class,
                           now_utc(),
                           said.at("spent_s").get<double>(),
                           {},
                           said.at("absent").get<std::map<std::string, std::string>>()};
    for (const auto& [name, value] : said.at("values").items())
      made.values.emplace_back(name, value.get<double>());
    if (made.values.empty()) throw Error("worker '" + worker.path() + "' could calibrate nothing");
    return made;
  } catch (const nlohmann::ordered_json::exception& error) {
    throw Error("'" + worker.path() +
                " --calibrate' printed a record of another form: " + error.what());
  }
}

}  // namespace

void calibrate(const WorkerRequest& request, const std::vector<std::string>& command, Talk& talk,
               const std::function<void(const DeviceCalibration&)>& on_device) {
  const Project project = find_project(".", PlaceRequest{});
  const WorkerProgram worker = need_worker(request, project.worker);
  for (const WorkerDevice& device :
       choose_devices(worker.devices(), wanted_device(request, project))) {
    talk.say(fmt::format("calibrating {} ({})", device.name, device.environment.device_class));
    on_device(measured(worker, device, command));
  }
}

}  // namespace plumbline
