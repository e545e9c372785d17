/// Energy and power of launches, from a counter of the device's total energy that moves in steps.
///
/// Launches run back to back while the counter is read. A window begins and ends at an observed
/// step, which bounds the counter's rounding: the time of a step is known to within the time
/// between two reads. The device's idle power is included. Knows no device: counter, clock and
/// queue are functions.
#pragma once

#include <functional>
#include <string>

#include "measure/sampler.h"

namespace plumbline {

/// The functions that measure energy.
struct EnergySource {
  std::function<double()> energy_j;  // total of the device; NaN if unknown
  std::function<double()> now_s;
  /// Enqueues `launches` launches behind the running ones, and returns when those enqueued before
  /// have completed: the device never waits for the host.
  std::function<void(int launches)> enqueue;
};

struct EnergyPlan {
  double window_s = 0.5;  // of one sample: five steps of a counter that moves 10 times a second
  int windows = 3;        // samples
  double patience_s = 1;  // after so long without a step, the counter is unusable
  double look_every_s = 5e-3;  // batches grow until they take this long: a read of the counter may
                               // take 3 ms, in which the device must not become idle
};

struct EnergyReading {
  /// Joules per launch and watts, one block per window. timers_s has `energy_uncertainty` and
  /// `power_uncertainty` (half widths, the largest of the windows) and the time of a `launch` in
  /// seconds.
  MeasuredMetric energy, power;
  std::string absent;  // why there is neither
};

/// `launches_each`: launches of the case in one launch of the source (a graph).
EnergyReading measure_energy(const EnergySource& source, const EnergyPlan& plan, int launches_each);

}  // namespace plumbline
