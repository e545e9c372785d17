/// One run on several devices at a time: each case on one of them, a worker at a time on each.
///
/// Knows neither what a device is nor how its workers are started. Callbacks come one at a time,
/// whichever device they are about.
#pragma once

#include <span>
#include <string>

#include "schedule/scheduler.h"

namespace plumbline {

struct RunDevice {
  std::string name;  // in notes: cuda:1
  std::string uuid;  // its workers stand there
  WorkerFactory factory;
};

/// As run_cases() on each device with the cases that spread_cases() gives it, at the same time;
/// `plan.device_uuid` is not looked at. Progress is that of all. A device whose workers cannot be
/// used is told in a note and ends the run with its Error once the others are through; what
/// on_visit throws ends it for all at their next visit. A single device is used by the calling
/// thread.
ScheduleResult run_on_devices(const Plan& plan, std::span<const RunDevice> devices,
                              const ScheduleEvents& events, Interrupt* interrupt);

}  // namespace plumbline
