/// What a measured time comes to: FLOP/s, bytes per second, and their shares of what this device
/// was calibrated to reach in the same run. More than that is a doubt about the measurement, much
/// more a finding: the launch did not do the work that the case declares.
///
/// Derived from rows and run.json whenever it is asked for; pure, stores nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/run_part.h"
#include "analysis/estimate/estimate.h"
#include "core/run/run.h"

namespace plumbline {

inline constexpr std::string_view kFlagBandwidthAbovePeak = "bandwidth above peak";
inline constexpr std::string_view kFlagBusAbovePeak = "bus rate above peak";
inline constexpr std::string_view kFlagFlopsAbovePeak = "FLOP rate above peak";
inline constexpr std::string_view kFlagFasterThanDevice = "faster than the device";

struct Achieved {
  double flops_per_s = kUnknown, bytes_per_s = kUnknown;  // algorithmic minimum / time
  double flops_share = kUnknown;  // of the calibrated matmul rate of the case's dtype
  double bytes_share =
      kUnknown;                  // of the calibrated copy bandwidth; above 1 where L2 helps. Of a
                                 // copy from or to the host, of the calibrated bandwidth of the bus
  double flops_peak = kUnknown;  // that rate, and the dtype that it was calibrated in
  std::string flops_dtype;
  std::vector<std::string_view> flags;
  std::string beyond;  // with kFlagFasterThanDevice: what of the device it exceeds, in words

  /// Of the nearer of the two limits, a fraction; kUnknown without calibration or cost.
  double share() const;
};

/// A value of run.json's calibration and how far off it may be (the sibling
/// `<name>_uncertainty`, in the same unit; 0 where it is not said). Unknown where there is none.
struct Calibrated {
  double value = kUnknown, uncertainty = 0;
};
Calibrated calibrated(const RunInfo& info, const std::string& name);

/// Of a metric that is the time of one launch, or of several from their fork to their join, whose
/// cost is that of all of them; nothing is known of any other metric.
///
/// A flag needs the rate at the upper end of the time's 99 % interval to exceed the peak plus its
/// uncertainty. For the bandwidth only bytes that must cross the memory bus count. Cold, every
/// line that is read crosses, and at most L2 of what is written stays there: bytes - L2. Hot, a
/// line that stays in L2 saves being read and written back: bytes - 2 × L2. Without a known L2
/// size nothing is claimed. Of the bus, which is calibrated with one size of copies, a hundredth
/// more than that is none. A launch is faster than the device if it exceeds the bandwidth by 5 %
/// more, or the FLOP rate by 25 %. Some products ran up to 3 % faster than the calibrated one on an
/// H100, and inputs that draw less power run at higher clocks.
Achieved achieved(const MetricRows& metric, const Estimate& time, const RunInfo& info);

/// The part of the run that bounds a launch which takes `time_s`: the calibrated limit that its
/// cost needs longest at, where that explains at least half of the time; a launch that is far from
/// both moves with neither. Hot, only bytes count that L2 cannot keep. `whole` where the metric,
/// its cost or the calibration says nothing.
RunPart run_part(const MetricRows& metric, double time_s, const RunInfo& info);

}  // namespace plumbline
