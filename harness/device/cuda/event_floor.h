/// What a pair of events reads beyond the kernel between them.
///
/// Measured on two kernels of different kinds in the process that will use it, because it differs
/// between processes (by 0.1 us on an H200) and with what the kernel does (2.55 us for one that
/// does nothing, 3.05 us for one that leaves 64 MB of written lines behind). One sitting of
/// readings is off by 0.03 us, and what a process reads drifts, by as much within a minute and by
/// 0.2 us where others work on the host: each visit adds some readings, and the latest count.
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
  double by_trace_s = kUnknown;  // duration by CUPTI, likewise
};

struct EventFloor {
  TimerFloor floor;
  std::vector<FloorProbe> probes;
};

/// The middle of what the probes give (events minus CUPTI's duration), and half their range as its
/// uncertainty. Without CUPTI: the empty kernel's reading, which holds that kernel's own start and
/// end as well, uncertain by kUntracedUncertainty_s.
EventFloor event_floor(std::vector<FloorProbe> probes);

/// The latest readings of one probe by events.
class LatestReadings {
 public:
  void add(const std::vector<double>& readings_s);
  /// Mean of the middle half; kUnknown of none.
  double midmean_s() const { return midmean_s(kKept); }
  /// What the last ones read beyond all that are kept.
  double drift_s() const { return midmean_s(kDrift) - midmean_s(); }

  static constexpr std::size_t kKept = 400, kDrift = 100;  // of 40 and of 10 visits

 private:
  double midmean_s(std::size_t latest) const;

  std::deque<double> readings_s_;  // oldest first
};

inline constexpr int kVisitReadings = 10;

/// The duration that CUPTI gives an empty kernel on an H200 is 0.54 us.
inline constexpr double kUntracedUncertainty_s = 0.6e-6;

}  // namespace plumbline::cuda
