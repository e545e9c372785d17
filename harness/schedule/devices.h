/// One run on several devices at a time: each case runs on one device, one worker at a time on
/// each.
///
/// Does not know what a device is or how its workers are started. Callbacks are serialized over all
/// devices.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "schedule/scheduler.h"

namespace plumbline {

struct RunDevice {
  std::string name;  // name in notes: cuda:1
  std::string uuid;  // expected of its workers
  WorkerFactory factory;
};

/// Runs the functions, which throw nothing, at the same time. Returns when all have ended.
using RunAll = std::function<void(std::span<const std::function<void()>>)>;

/// A thread for each function.
void in_threads(std::span<const std::function<void()>> functions);

/// Like run_cases() on all devices at the same time, with the cases that spread_cases() gives each;
/// a case with a home (Plan) among the devices goes there. Cases with several ranks follow on the
/// first device, while nothing else runs. Ignores `plan.device_uuid`. Progress is the sum. A device
/// with unusable workers gives a note, and its Error is thrown when the other devices are done. An
/// exception of on_visit ends the run on all devices at their next visit. With a single device no
/// thread is started, and `run_all` is not called.
ScheduleResult run_on_devices(const Plan& plan, std::span<const RunDevice> devices,
                              const ScheduleEvents& events, Interrupt* interrupt,
                              const RunAll& run_all = in_threads);

}  // namespace plumbline
