/// What a device's counters count in a launch: bytes, hits, stalls.
///
/// Beside device.h, because most devices have none. device/cuda implements it; tests play counts
/// back. Knows no op and no case.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "device/device.h"

namespace plumbline {

struct CounterReading {
  std::map<std::string, double> values;       // metric of core/run/metric.h -> value in its unit
  std::map<std::string, std::string> absent;  // metric -> why it has no value
};

class Counters {
 public:
  virtual ~Counters() = default;

  /// Why count() cannot count here; "": it can.
  virtual std::string no_counters() const = 0;

  /// Counts a cold launch. It is launched once for each pass, as the hardware counts only some
  /// counters at a time. `before` runs ahead of each launch, uncounted: it restores what the launch
  /// finds. `after` runs behind it. Blocks until done. Throws DeviceError if the counters fail.
  virtual CounterReading count(const Launch& launch, const std::function<void()>& before,
                               const std::function<void()>& after) = 0;
};

}  // namespace plumbline
