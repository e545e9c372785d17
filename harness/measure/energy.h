/// energy and power of launches, from a counter of the device's total energy that moves in steps.
///
/// Launches run back to back while the counter is watched. A window begins and ends at a step that
/// was seen, so that what the counter rounds away is bounded: a step is known to within the time
/// between two looks. The device's idle power is part of what is counted.
/// Knows no device: counter, clock and queue are functions.
#pragma once

#include <functional>
#include <string>

#include "measure/sampler.h"

namespace plumbline {

/// What energy is measured with.
struct EnergySource {
  std::function<double()> energy_j;  // total of the device, NaN where it cannot be told
  std::function<double()> now_s;
  /// Queues so many launches behind those that run, and returns when those queued before have
  /// completed: the device never waits for the host.
  std::function<void(int launches)> enqueue;
};

struct EnergyPlan {
  double window_s = 0.5;  // of one sample: five steps of a counter that moves 10 times a second
  int windows = 3;        // samples
  double patience_s = 1;  // without a step for so long, the counter counts for nothing
  double look_every_s = 5e-3;  // batches of launches grow until they take as long: a look at the
                               // counter may take 3 ms, in which the device must not run dry
};

struct EnergyReading {
  /// Joules per launch and watts, a block per window; timers_s holds their `energy_uncertainty` and
  /// `power_uncertainty` (half widths, largest of the windows) and the `launch` time in seconds.
  MeasuredMetric energy, power;
  std::string absent;  // why there is none of them
};

/// `launches_each`: how many launches of the case one launch of the source stands for (a graph).
EnergyReading measure_energy(const EnergySource& source, const EnergyPlan& plan, int launches_each);

}  // namespace plumbline
