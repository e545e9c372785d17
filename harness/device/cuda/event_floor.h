/// What a pair of events reads beyond the kernel between them.
///
/// Measured on three kernels of different kinds in the process that will use it, because it differs
/// between processes (by 0.1 us on an H200) and with what the kernel does (2.55 us for one that
/// computes, 3.05 us for one that leaves 64 MB of written lines behind).
#pragma once

#include <string>
#include <vector>

#include "core/run.h"
#include "device/device.h"

namespace plumbline::cuda {

struct FloorProbe {
  std::string kernel;            // empty, spin, write
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

/// The duration that CUPTI gives an empty kernel on an H200 is 0.54 us.
inline constexpr double kUntracedUncertainty_s = 0.6e-6;

}  // namespace plumbline::cuda
