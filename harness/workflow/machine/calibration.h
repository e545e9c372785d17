/// The rates that devices reach, as a worker measures them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

struct DeviceCalibration {
  std::string device, device_uuid, device_class, measured_at;
  double spent_s = 0;
  /// By name, which ends in the unit; `…_uncertainty` is half an interval of another value.
  std::vector<std::pair<std::string, double>> values;
  std::map<std::string, std::string> absent;  // name -> why
};

/// Calibrates the requested devices one after another and calls `on_device` after each. `command`:
/// recorded in the devices' locks. Throws Error, also for an invalid answer of a worker.
void calibrate(const WorkerRequest& request, const std::vector<std::string>& command, Talk& talk,
               const std::function<void(const DeviceCalibration&)>& on_device);

}  // namespace plumbline
