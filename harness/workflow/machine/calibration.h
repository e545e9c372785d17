/// What devices reach, as a worker measures it.
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
  /// By name, whose end is the unit; `…_uncertainty` is half an interval of another.
  std::vector<std::pair<std::string, double>> values;
  std::map<std::string, std::string> absent;  // name -> why
};

/// Calibrates the devices that are asked for, one after the other; `on_device` hears of each as
/// soon as it is done. `command`: whose devices these are meanwhile. Throws Error, also for what is
/// no record of a worker.
void calibrate(const WorkerRequest& request, const std::vector<std::string>& command, Talk& talk,
               const std::function<void(const DeviceCalibration&)>& on_device);

}  // namespace plumbline
