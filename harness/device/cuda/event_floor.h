/// The time that a pair of events reads in addition to the kernel between them.
///
/// Measured on two different kernels in the process that uses it. It differs between processes (by
/// 0.1 us on an H200) and between kernels (2.55 us for an empty one, 3.05 us for one that leaves 64
/// MB of dirty lines behind). One series of readings is off by 0.03 us. Within a process the floor
/// drifts by as much in a minute, and by 0.2 us if others work on the host. So each visit adds some
/// readings, and only the latest count.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/unknown.h"
#include "device/device.h"

namespace plumbline::cuda {

struct FloorProbe {
  std::string kernel;            // empty, write
  double by_events_s = 0;        // reading, mean of the middle half
  double by_trace_s = kUnknown;  // duration by CUPTI, also mean of the middle half
};

struct EventFloor {
  TimerFloor floor;
  std::vector<FloorProbe> probes;
};

/// The middle of the probes' values (events minus CUPTI's duration), with half their range as
/// uncertainty. Without CUPTI: the empty kernel's reading, which includes that kernel's own start
/// and end, with kUntracedUncertainty_s.
EventFloor event_floor(std::vector<FloorProbe> probes);

/// The latest event readings of one probe.
class LatestReadings {
 public:
  void add(const std::vector<double>& readings_s);
  /// Mean of the middle half; kUnknown if there is no reading.
  double midmean_s() const { return midmean_s(kKept); }
  /// How much the last kDrift readings exceed the mean of all kept ones.
  double drift_s() const { return midmean_s(kDrift) - midmean_s(); }

  static constexpr std::size_t kKept = 400, kDrift = 100;  // of 40 and of 10 visits

 private:
  double midmean_s(std::size_t latest) const;

  std::deque<double> readings_s_;  // oldest first
};

inline constexpr int kVisitReadings = 10;

/// CUPTI's duration of an empty kernel is 0.54 us on an H200.
inline constexpr double kUntracedUncertainty_s = 0.6e-6;

}  // namespace plumbline::cuda
